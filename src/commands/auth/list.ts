import { lastFour } from '../../accounts/key.ts';
import { firstSteps } from '../../accounts/settings.ts';
import { readStore } from '../../accounts/store.ts';
import { effectiveFormat, type SharedOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { JsonText } from '../../json/json-text.ts';
import { joined, type RecordShape, type Terminal } from '../../output/format.ts';
import { createFormat, type FormatName } from '../../output/formats.ts';
import { Stderr } from '../../output/stderr.ts';
import { Stdout } from '../../output/stdout.ts';
import { decideTerminal } from '../../output/terminal.ts';
import { orErrorDocument } from './json.ts';

/** A stored account as `auth list` prints it. */
interface Row {
  readonly active: boolean;
  readonly profile: string;
  readonly origin: string;
  readonly namespace: string;
  readonly last_four: string;
}

/** `auth list`: the stored profiles, sorted by name; a table at a terminal, NDJSON elsewhere. Sends nothing. */
export async function runList(options: SharedOptions, context: Context): Promise<number> {
  const stderr = new Stderr(context.stderr, options);
  const stdout = new Stdout(context, stderr);
  const { active, profiles } = await orErrorDocument(stdout, options.format, () => readStore(context.env));
  const rows = [...profiles]
    .map(
      ([profile, { baseUrl, namespace, key }]): Row => ({
        active: profile === active,
        profile,
        origin: baseUrl.origin,
        namespace,
        last_four: lastFour(key),
      }),
    )
    .sort((a, b) => (a.profile < b.profile ? -1 : 1));
  const terminal = decideTerminal(context.stdout, context.env, !options.color);
  await stdout.write(await render(rows, effectiveFormat(options, terminal !== null), terminal));
  if (rows.length === 0) stderr.note(`no account is stored; ${firstSteps}`);
  return 0;
}

/** The profiles as any format prints them. */
const shape: RecordShape = {
  name: 'auth list',
  fields: ['active', 'profile', 'origin', 'namespace', 'last_four'],
  documentedFields: [],
  idField: 'profile',
  answer: 'list',
};

async function render(rows: readonly Row[], name: FormatName, terminal: Terminal | null): Promise<string> {
  if (name === 'table') {
    if (rows.length === 0) return '';
    const { drawTable } = await import('../../output/table.ts');
    const cells = rows.map(({ active, ...texts }) => [active ? '*' : '', ...Object.values(texts)]);
    return await drawTable(shape.fields, cells, terminal);
  }
  const format = await createFormat(name, { operation: shape, fields: null, several: false, terminal });
  const body = format.body({ reference: null }, JsonText.of(JSON.stringify(rows)));
  return joined(format.head(), body).toString() + format.tail();
}
