import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { exitCodes } from '../src/errors.ts';
import { codeBlocks, documentText } from './support/documents.ts';

const codeBlock = /^ *```.*?^ *```$/gms;
const readme = await documentText('README.md');
const documents = [
  'README.md',
  ...['CHANGELOG.md', 'CONTRIBUTING.md', '.github/SECURITY.md'],
  ...(await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];

test('the first two sh blocks have one command each: the main job on the sandbox, and the tests', async () => {
  const blocks = (await codeBlocks('README.md')).filter(({ language }) => language === 'sh');
  assert.deepEqual(blocks[0]?.lines, ['npm ci && node bin/chanlist.js uploads @demo --sandbox']);
  assert.deepEqual(blocks[1]?.lines, ['npm test']);
});

test('documents that a reader finishes: README at most 180 lines, all together at most 1,000', async () => {
  const docs = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
  const lengths = await Promise.all(
    ['README.md', 'CONTRIBUTING.md', ...docs].map(
      async (name) => (await documentText(name)).split('\n').length - 1,
    ),
  );
  assert.ok((lengths[0] ?? 0) <= 180);
  const sum = lengths.reduce((all, length) => all + length, 0);
  assert.ok(sum <= 1000, `${sum} lines`);
});

test('the tables of exit codes have every code of the program, that of cron.md every failure', async () => {
  const codes = Object.keys(exitCodes);
  const named = (text: string, heading: string): Set<string> => {
    const [, rest = ''] = text.split(`\n## ${heading}\n`);
    const [section = ''] = rest.split('\n## ');
    const cells = [...section.matchAll(/\| ((?:\d+(?:, )?)+) (?=\|)/g)];
    return new Set(cells.flatMap(([, cell = '']) => cell.split(', ')));
  };
  assert.deepEqual(named(readme, 'Exit codes'), new Set(codes));
  assert.deepEqual(named(await documentText('docs/failures.md'), 'By exit code'), new Set(codes));
  const cron = await documentText('docs/cron.md');
  assert.deepEqual(named(cron, 'What mail means'), new Set(codes.filter((code) => code !== '0')));
});

/** The word that a link to a heading ends with. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

test('every link of the documents points to a file or heading', async () => {
  for (const document of documents) {
    const text = await documentText(document);
    for (const [link, target = '', heading] of text.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const path = target === '' ? document : join(dirname(document), target);
      assert.ok((await stat(path)).isFile(), `${document}: ${link}`);
      if (heading === undefined) continue;
      const headings = [...(await documentText(path)).matchAll(/^#+ (.*)$/gm)].map(([, name = '']) =>
        anchor(name),
      );
      assert.ok(headings.includes(heading), `${document}: ${link}`);
    }
  }
});

test('the sections of documents that comments of the program cite are there', async () => {
  const names = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts'));
  const sources = await Promise.all(names.map((name) => documentText(join('src', name))));
  const text = sources.join('\n').replaceAll(/\n \* /g, ' ');
  const cited = [...text.matchAll(/([\w/]+\.md), "([^"]+)"/g)];
  assert.ok(cited.length > 0);
  for (const [citation, document = '', heading] of cited)
    assert.ok((await documentText(document)).includes(`\n## ${heading}\n`), citation);
});

test('every document is in the package, and the README names it', async () => {
  const { files } = JSON.parse(await documentText('package.json')) as { files: string[] };
  assert.ok(files.includes('docs'));
  for (const document of documents)
    assert.ok(document === 'README.md' || readme.includes(`](${document})`), document);
});

test('CONTRIBUTING.md and docs/RELEASING.md name files and scripts that are there', async () => {
  const text =
    (await documentText('CONTRIBUTING.md')) +
    (await documentText('docs/RELEASING.md')).replaceAll(codeBlock, '');
  const paths = [...text.matchAll(/(?<![\w/])(?:bin|src|test|scripts|docs|bench)\/[\w./-]*\w\/?/g)].map(
    ([path]) => path,
  );
  assert.ok(paths.length >= 30);
  for (const path of new Set(paths)) await assert.doesNotReject(stat(path), path);
  const { scripts } = JSON.parse(await documentText('package.json')) as { scripts: object };
  for (const [, name = ''] of text.matchAll(/`npm (?:run )?([\w:]+)`/g))
    assert.ok(
      ['ci', 'install', 'ls', 'audit', 'sbom'].includes(name) || Object.hasOwn(scripts, name),
      `npm run ${name}`,
    );
});

test('CONTRIBUTING.md names functions that are in the files it says', async () => {
  const text = await documentText('CONTRIBUTING.md');
  const calls = (await codeBlocks('CONTRIBUTING.md')).find(({ language }) => language === 'calls');
  const inText = text.matchAll(/`(?<name>\w+)`\s+in\s+`src\/(?<file>[\w./-]+)`/g);
  const inCalls = (calls?.lines.join('\n') ?? '').matchAll(/(?<name>\w+) +\(?(?<file>[\w/-]+\.ts)/g);
  const inExport = (file = ''): string => (file.includes('/') ? file : `export/${file}`);
  const sources = [
    ...Array.from(inText, ({ groups }) => ({ ...groups })),
    ...Array.from(inCalls, ({ groups }) => ({ ...groups, file: inExport(groups?.file) })),
  ];
  assert.ok(sources.length >= 14, `${sources.length}`);
  for (const { name, file } of sources as { name: string; file: string }[])
    assert.ok(
      new RegExp(`(?:function|const|class) ${name}\\b`).test(await documentText(`src/${file}`)),
      name,
    );
});
