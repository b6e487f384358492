import { randomHex, shortName } from '../../fs/files.ts';

/** Files of rows of FILE in its private folder: their names begin with this. */
const rowsPrefix = (file: string): string => `${shortName(file)}.`;
const rowsName = /^[0-9a-f]{20}\.[0-9a-f]{8}\.part$/;

/** Whether a record may name this as a file of rows: records travel with copied folders. */
export const isRowsName = (value: unknown): value is string =>
  typeof value === 'string' && rowsName.test(value);

/** A new name for rows of FILE. */
export const newRowsName = (file: string): string => `${rowsPrefix(file)}${randomHex().slice(0, 8)}.part`;

/** The names of all files of rows of FILE. */
export const rowsNames = (names: readonly string[], file: string): string[] =>
  names.filter((name) => isRowsName(name) && name.startsWith(rowsPrefix(file)));
