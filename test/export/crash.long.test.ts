import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/errors.ts';
import { PartialFile } from '../../src/export/partial-file.ts';
import type { FileOps } from '../../src/fs/file-ops.ts';
import { type ExportScript, identity, type RunOptions, runExport, target, wholeFile } from './export-runs.ts';
import { type Fault, Killed, MemoryDisk, type Random } from './memory-disk.ts';

// New files of this user's are writable by its group.
process.umask(0o002);

const lines = (...rows: string[]): string[] => rows.map((row) => `${row}\n`);
const ndjson = { head: '', separator: '', tail: '' };
const json = { head: '{"results":[', separator: ',', tail: '],"has_more":false}\n' };
const oldRows = lines('old 1', 'old 2');
const pages = [
  { above: lines('ü 1', 'ü 2') },
  { above: lines('3') },
  { above: [] },
  { above: lines('4', `5 ${'x'.repeat(300)}`) },
];
const fresh: ExportScript = { ...ndjson, pages, old: null };
const later: ExportScript = {
  ...ndjson,
  pages: [{ above: lines('later 1') }, { above: lines('later 2') }],
  old: null,
};
const update: ExportScript = { ...ndjson, pages, old: oldRows };
const both: ExportScript = {
  ...json,
  pages: [{ above: ['1', '2'] }, { above: ['3'], below: ['9'] }, { above: [], below: ['10', '11'] }],
  old: ['5', '6', '7'],
};
const onlyBelow: ExportScript = { ...json, pages: [{ above: [], below: ['9'] }], old: ['5'] };

/** What is on the disk, and the command that is interrupted. */
interface Scenario {
  readonly name: string;
  readonly scripts: ReadonlyMap<number, ExportScript>;
  readonly options?: Pick<RunOptions, 'restart' | 'digest' | 'maxLogBytes'>;
  /** Writes what earlier runs left; `durable` notes their pages. */
  readonly prepare?: (disk: MemoryDisk, durable: (page: number, started: number) => void) => Promise<void>;
}

const started = 1000;
const laterStarted = 2000;
const one = (script: ExportScript): ReadonlyMap<number, ExportScript> => new Map([[started, script]]);

/** Runs an export until it would buy page `last`, or before its rename to FILE. */
function interrupted(script: ExportScript, last: number | null): NonNullable<Scenario['prepare']> {
  return async (disk, durable) => {
    const ops = disk.process();
    const run = runExport({
      ops: {
        ...ops,
        rename: (from, to) => (to === target.real ? Promise.reject(new Killed()) : ops.rename(from, to)),
      },
      scripts: one(script),
      now: started,
      durable,
      buy: (page) => {
        if (page === last) throw new Killed();
      },
    });
    await assert.rejects(run, Killed);
  };
}

/** What version 0.1.0 leaves: rows with a page that broke off, and one JSON document. */
function version1(
  script: ExportScript,
  count: number,
  done: boolean,
  replaced = false,
): NonNullable<Scenario['prepare']> {
  return async (disk, durable) => {
    const rows = script.pages.slice(0, count).flatMap(({ above }) => above);
    const text = done ? wholeFile(script) : script.head + rows.join(script.separator);
    const part = `${target.real}.part`;
    if (replaced) disk.put(target.real, text, 0o664);
    else disk.put(part, done ? text : `${text}half of a ro`, done ? 0o664 : 0o600);
    const state = {
      version: 1,
      mode: script.old === null ? 'export' : 'update',
      identity: {
        command: 'uploads',
        reference: '@a',
        format: 'ndjson',
        fields: null,
        service: identity.service,
      },
      started: new Date(started).toISOString(),
      bytes: Buffer.byteLength(text),
      entries: rows.length,
      pages: count,
      token: count === script.pages.length ? null : `token ${count}`,
      lastPage: null,
      id: 'UCa',
      base: { size: 3, mtimeMs: 0, ino: 0 },
      done,
      credits: { confirmed: count, possibly_charged: 0 },
      extra: { hasMore: true, done: false, total: 5, cut: false, last: 'v3', empty: 0, sent: 'mark-1--' },
    };
    disk.put(`${part}.json`, `${JSON.stringify(state)}\n`);
    for (let page = 0; page < count; page++) durable(page, started);
  };
}

const scenarios: readonly Scenario[] = [
  { name: 'an export', scripts: one(fresh) },
  { name: 'a json export without a digest', scripts: one({ ...fresh, ...json }), options: { digest: false } },
  { name: 'an export with a short state log', scripts: one(fresh), options: { maxLogBytes: 1 } },
  { name: 'a resumed export', scripts: one(fresh), prepare: interrupted(fresh, 2) },
  {
    name: '--restart over an interrupted export',
    scripts: new Map([
      [started, fresh],
      [laterStarted, later],
    ]),
    options: { restart: true },
    prepare: interrupted(fresh, 3),
  },
  {
    name: '--restart over an interrupted export of version 0.1.0',
    scripts: new Map([
      [started, fresh],
      [laterStarted, later],
    ]),
    options: { restart: true },
    prepare: version1(fresh, 2, false),
  },
  { name: 'an update', scripts: one(update) },
  { name: 'an update above and below', scripts: one(both), options: { maxLogBytes: 1 } },
  { name: 'an update only below', scripts: one(onlyBelow) },
  { name: 'a resumed update above and below', scripts: one(both), prepare: interrupted(both, 2) },
  { name: 'the end of an export', scripts: one(fresh), prepare: interrupted(fresh, null) },
  { name: 'the end of an update', scripts: one(both), prepare: interrupted(both, null) },
  { name: 'an export of version 0.1.0', scripts: one(fresh), prepare: version1(fresh, 2, false) },
  { name: 'the end of an export of version 0.1.0', scripts: one(fresh), prepare: version1(fresh, 4, true) },
  { name: 'a replaced FILE of version 0.1.0', scripts: one(fresh), prepare: version1(fresh, 4, true, true) },
  { name: 'an update of version 0.1.0', scripts: one(update), prepare: version1(update, 2, false) },
  { name: 'the end of an update of version 0.1.0', scripts: one(update), prepare: version1(update, 4, true) },
];

/** Runs a scenario into faults, then to its end, and holds it to the contract after each. Returns the steps of the first run. */
async function survive(
  { name, scripts, options, prepare }: Scenario,
  faults: readonly Fault[],
  powerCut: Random | null = null,
): Promise<number> {
  const where = `${name}, ${faults.map(({ step, kind }) => `${kind} ${step}`).join(', ')}`;
  const oldScript = [...scripts.values()][0];
  const oldText = oldScript?.old == null ? 'what was there before\n' : wholeFile({ ...oldScript, pages: [] });
  const disk = new MemoryDisk();
  disk.put(target.real, oldText, 0o664);
  const durable = new Set<string>();
  await prepare?.(disk, (page, since) => durable.add(`${since} ${page}`));
  let paidAgain = 0;
  let inFlight = '';
  let hits = 0;
  const printed: string[] = [];
  let now = scripts.has(laterStarted) ? laterStarted : started;
  let restart = options?.restart ?? false;
  let steps = 0;
  const before = disk.text(target.real);
  for (let run = 0; ; run++) {
    const ops = disk.process(faults[run] ?? null);
    let problem: unknown = null;
    try {
      ({ problem } = await runExport({
        ...options,
        ops,
        scripts,
        now,
        restart,
        buy: (page, since) => {
          const key = `${since} ${page}`;
          assert.ok(!durable.has(key), `${where}: page ${key} is paid again`);
          if (key === inFlight) paidAgain++;
          inFlight = key;
        },
        durable: (page, since) => durable.add(`${since} ${page}`),
        print: (text) => {
          assert.equal(disk.text(target.real), before, where);
          printed.push(text);
        },
      }));
      if (run === 0) steps = ops.steps();
      if (problem === null && !ops.isDead()) break;
    } catch (error) {
      const isFault = error instanceof Killed || (error instanceof Failure && error.code === 'failed');
      if (!isFault) throw new Error(`${where}, run ${run}: ${String(error)}`, { cause: error });
    }
    hits++;
    assert.ok(hits <= faults.length, `${where}: no failure without a fault`);
    const isReplaced = problem !== null && !ops.isDead();
    if (powerCut !== null && !isReplaced) disk.powerCut(powerCut);
    restart = false;
    const shown = disk.text(target.real) ?? '';
    const wholes = [...scripts.values()].map(wholeFile);
    assert.ok([before, ...wholes].includes(shown), `${where}: FILE is the old one, or whole`);
    if (isReplaced) assert.ok(wholes.includes(shown), where);
    const state = await PartialFile.peek(target, disk.process());
    // Nothing is interrupted any more: the next run would be another export.
    if (state === null && wholes.includes(shown)) break;
    if (state !== null) now = Date.parse(state.header.started);
    if (scripts.size > 1) assert.ok(state !== null, `${where}: the older export is kept`);
    if (durable.has(`${laterStarted} 0`)) assert.equal(now, laterStarted, `${where}: the new export is kept`);
  }
  const result = disk.text(target.real);
  const final = scripts.get(now);
  assert.ok(final, where);
  assert.ok(result === wholeFile(final), `${where}: FILE is ${result}`);
  assert.equal(disk.mode(target.real), 0o664, where);
  assert.deepEqual(disk.names(), [target.real], where);
  assert.ok(paidAgain <= hits, `${where}: ${paidAgain} pages paid again`);
  if (final.old !== null && prepare === undefined) {
    assert.ok(printed.length > 0, where);
    const rows = wholeFile({ ...final, old: [], tail: '' });
    // The separator between the rows above and below the old ones is FILE's.
    for (const text of printed) assert.equal(text.replaceAll(',', ''), rows.replaceAll(',', ''), where);
  }
  return steps;
}

const powerCuts = [[0], [0.3, 0.9], [0.9, 0.3], [0.3, 0.3, 0.9], [0.5], [0.74], [0.999]];
const sequence = (values: readonly number[]): Random => {
  let drawn = 0;
  return () => values[drawn++ % values.length] ?? 0;
};

describe('stopped at any file operation, the next run ends with the same FILE and nothing else', () => {
  for (const scenario of scenarios) {
    test(scenario.name, async () => {
      const steps = await survive(scenario, []);
      assert.ok(steps > 5, 'there are operations to stop at');
      for (let step = 1; step <= steps; step++) {
        for (const kind of ['before', 'torn', 'ENOSPC', 'EIO'] as const)
          await survive(scenario, [{ step, kind }]);
        for (const values of powerCuts) await survive(scenario, [{ step, kind: 'torn' }], sequence(values));
      }
    });
  }

  test('many faults and power cuts, at random', async () => {
    const fault = fc.record({
      step: fc.integer({ min: 1, max: 60 }),
      kind: fc.constantFrom('before' as const, 'torn' as const, 'ENOSPC' as const, 'EIO' as const),
    });
    const property = fc.asyncProperty(
      fc.constantFrom(...scenarios),
      fc.array(fault, { maxLength: 6 }),
      fc.option(fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1 })),
      async (scenario, faults, cuts) => {
        await survive(scenario, faults, cuts === null ? null : sequence(cuts));
      },
    );
    await fc.assert(property, { numRuns: 500 });
  });
});

/** Opens an export, adds pages up to so many, and discards it. */
async function discard(ops: FileOps, count: number): Promise<void> {
  const file = await PartialFile.open(target, identity, {
    mode: 'export',
    restart: false,
    digest: true,
    now: 0,
    ops,
  });
  for (let page = file.progress.pages; page < count; page++)
    await file.append(`${page}\n`, { pages: page + 1 });
  await file.discard();
}

test('a discarded export leaves only FILE, at whichever operation it stops', async () => {
  for (const kind of ['before', 'torn', 'ENOSPC', 'EIO'] as const) {
    // Without pages, a temporary file that cannot be removed is left to the next export.
    for (const count of kind === 'before' || kind === 'torn' ? [0, 1, 2] : [1, 2]) {
      for (const cut of [null, ...powerCuts]) {
        for (let step = 1, isHit = true; isHit; step++) {
          const where = `${count} pages, ${kind} ${step}, ${cut}`;
          const disk = new MemoryDisk();
          disk.put(target.real, 'old', 0o664);
          const ops = disk.process({ step, kind });
          isHit = await discard(ops, count).then(
            () => ops.isDead(),
            () => true,
          );
          if (isHit) {
            if (cut !== null) disk.powerCut(sequence(cut));
            await discard(disk.process(), count);
          }
          assert.deepEqual(disk.names(), [target.real], where);
          assert.equal(disk.text(target.real), 'old', where);
        }
      }
    }
  }
});
