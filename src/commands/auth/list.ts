import { lastFour } from '../../accounts/key.ts';
import { firstSteps } from '../../accounts/settings.ts';
import { readStore } from '../../accounts/store.ts';
import { effectiveFormat, type SharedOptions } from '../../cli/options.ts';
import type { Context } from '../../context.ts';
import { csvLine } from '../../output/csv-line.ts';
import type { FormatName, Terminal } from '../../output/format.ts';
import { Stderr } from '../../output/stderr.ts';
import { Stdout } from '../../output/stdout.ts';
import { decideTerminal } from '../../output/terminal.ts';
import { jsonLine, orErrorDocument } from './json.ts';

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

async function render(rows: readonly Row[], format: FormatName, terminal: Terminal | null): Promise<string> {
  switch (format) {
    case 'json':
      return jsonLine(rows);
    case 'ndjson':
      return rows.map(jsonLine).join('');
    case 'id':
      return rows.map(({ profile }) => `${profile}\n`).join('');
    case 'csv':
      return [header, ...cells(rows, String)].map(csvLine).join('');
    case 'table': {
      if (rows.length === 0) return '';
      const { drawTable } = await import('../../output/table.ts');
      return drawTable(
        header,
        cells(rows, (active) => (active ? '*' : '')),
        terminal,
      );
    }
  }
}

const header = ['active', 'profile', 'origin', 'namespace', 'last_four'];

function cells(rows: readonly Row[], mark: (active: boolean) => string): string[][] {
  return rows.map((row) => [mark(row.active), row.profile, row.origin, row.namespace, row.last_four]);
}
