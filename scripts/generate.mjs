/** Writes the files that are generated: completions, the manual page, licences and list of what is bundled. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadGenerated } from './generated.mjs';
import { partsFiles } from './parts.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const { generatedFiles } = await loadGenerated();
const files = [...(await generatedFiles()), ...(await partsFiles())];
for (const [path, text] of files) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
