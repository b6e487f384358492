/** Writes the files of the repository that are generated: the completions. */
import { writeFile } from 'node:fs/promises';
import { loadGenerated } from './bundle.mjs';

const { completions } = await loadGenerated();
for (const [path, text] of completions) await writeFile(new URL(`../${path}`, import.meta.url), text);
