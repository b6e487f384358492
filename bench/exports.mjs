import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { median, timed } from './measure.mjs';

/** Runs a command of the program; returns its processor time and duration in milliseconds, its peak memory in MB. */
async function usage({ node, program, env, folder }, args, stdout, more = {}) {
  const files = { CPU_FILE: join(folder, 'cpu'), PEAK_FILE: join(folder, 'peak') };
  const preloads = ['cpu.cjs', 'peak.cjs'].flatMap((name) => ['-r', join(import.meta.dirname, name)]);
  const command = [node, ...preloads, program, ...args];
  const time = await timed({ command, env: { ...env, ...files, ...more }, stdout });
  const read = (file) => Number(readFileSync(file, 'utf8'));
  return { cpu: read(files.CPU_FILE), peak: read(files.PEAK_FILE) / 1024 / 1024, time };
}

/** Median processor time of each case, in milliseconds; the cases take turns. */
async function cpuInTurn(cases, runs) {
  const times = cases.map(() => []);
  for (let run = 0; run <= runs; run++) {
    for (const [i, work] of cases.entries()) {
      const { cpu } = await work();
      if (run > 0) times[i].push(cpu);
    }
  }
  return times.map(median);
}

/** Processor time of an export and of the ledger, as multiples of the same listing to stdout. */
export async function measureExport({ pages, runs, ...common }) {
  const out = join(common.folder, 'stdout.ndjson');
  const file = join(common.folder, 'export.ndjson');
  const list = ['uploads', `@pages-${pages}`];
  const [plain, exported, unnoted] = await cpuInTurn(
    [
      () => usage(common, list, out),
      () => usage(common, [...list, '-o', file, '--restart'], null),
      // Without a bound, a ledger that cannot be opened is a warning.
      () => usage(common, list, out, { XDG_STATE_HOME: '/dev/null' }),
    ],
    runs,
  );
  return [
    { what: `-o: processor time of ${pages} pages against stdout`, target: 2, median: exported, of: plain },
    {
      what: `the ledger: processor time of ${pages} pages against none`,
      target: 1.03,
      median: plain,
      of: unnoted,
    },
  ];
}

/** Time and memory of `check` on one export, as multiples of their targets. */
export async function measureCheck({ entries, ...common }) {
  const channel = 'UCbenchbenchbenchbenchbe';
  const file = join(common.folder, `${channel}.ndjson`);
  const entry = (number) => ({
    videoId: String(number).padStart(11, '0'),
    title: `Episode ${number}: a talk about the weather`,
    channelId: channel,
    lengthText: '12:34',
    viewCountText: '3.2M views',
    index: String(number),
  });
  const lines = function* () {
    for (let at = 0; at < entries; at += 1000) {
      const numbers = Array.from({ length: Math.min(1000, entries - at) }, (_, n) => at + n);
      yield numbers.map((number) => `${JSON.stringify(entry(number))}\n`).join('');
    }
  };
  await pipeline(lines, createWriteStream(file));
  const { time, peak } = await usage(common, ['check', file], null);
  const share = entries / 1_000_000;
  const what = `check of ${entries.toLocaleString('en')} entries`;
  return [
    { what: `${what}: time`, target: 1, median: time / 1000, of: 10 * share, unit: 's' },
    { what: `${what}: peak memory`, target: 1, median: peak, of: 220, unit: 'MB' },
  ];
}
