/** Writes the files that are generated: completions, the manual page, the licences of what is bundled. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadGenerated } from './generated.mjs';
import { licensesText } from './licenses.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const { generatedFiles } = await loadGenerated();
const files = [...(await generatedFiles()), ['THIRD_PARTY_LICENSES', await licensesText()]];
for (const [path, text] of files) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
