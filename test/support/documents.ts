import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const documentText = (file: string): Promise<string> => readFile(join(process.cwd(), file), 'utf8');

/** The code blocks of a Markdown file. `language`: the word after the backquotes: `sh`, `crontab`. */
export async function codeBlocks(file: string) {
  const text = await documentText(file);
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', body = '']) => ({
    language,
    lines: body.split('\n').slice(0, -1),
  }));
}

export interface Example {
  readonly language: 'sh' | 'bash' | 'python' | 'js';
  readonly text: string;
}

/** What a document tells its reader to run: each line of a `sh` block, and each block of another language as a whole. */
export async function examplesOf(file: string): Promise<Example[]> {
  return (await codeBlocks(file)).flatMap(({ language, lines }): Example[] => {
    if (language === 'sh') return lines.map((text) => ({ language, text }));
    const isRun = language === 'bash' || language === 'python' || language === 'js';
    return isRun ? [{ language, text: lines.join('\n') }] : [];
  });
}

/** The example of a document that is, or alone begins, like this: recipes are tested as they are written. */
export async function exampleOf(file: string, beginning: string): Promise<Example> {
  const examples = await examplesOf(file);
  const exact = examples.filter(({ text }) => text === beginning);
  const found = exact.length > 0 ? exact : examples.filter(({ text }) => text.startsWith(beginning));
  const [example] = found;
  if (example === undefined || found.length > 1)
    throw new Error(`${file} has ${found.length} examples that begin with: ${beginning}`);
  return example;
}
