/** The names that the program keeps beside an output. */

/** The folder of the memories of the exports. */
export const memoryFolder = '.chanlist';

/** Suffixes of the files of an interrupted export. */
export const partialSuffixes = ['.part', '.part.json', '.part.tmp', '.part.json.tmp'] as const;
