import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/errors.ts';
import { type Fault, Killed, MemoryDisk, type Random } from './memory-disk.ts';
import { entry, fileFormats, type Texts, textsOf, writePages } from './runs.ts';

const pages = [[entry(1), entry(2)], [entry(3)], [], [entry(4), entry(5)]];
const oldText = 'what was there before\n';

function whole(texts: Texts, old: readonly string[] = []): string {
  return texts.pages.join('') + old.join('') + texts.tail;
}

interface Case {
  readonly format: string;
  readonly texts: Texts;
  /** Old entries of an update; null: an export. */
  readonly old: readonly string[] | null;
}

/** Runs into a fault, then again and again (through the faults that follow) until it ends; returns pages paid. */
async function survive(
  disk: MemoryDisk,
  { format, texts, old }: Case,
  faults: readonly Fault[],
  powerCut: Random | null = null,
): Promise<{ paid: number; hits: number }> {
  let paid = 0;
  let hits = 0;
  for (const fault of [...faults, null]) {
    const before = paid;
    try {
      await writePages(disk.process(fault), texts, format, () => paid++, old);
    } catch (error) {
      if (!(error instanceof Killed) && !(error instanceof Failure && error.code === 'failed')) throw error;
      hits++;
      if (error instanceof Killed && powerCut !== null) disk.powerCut(powerCut);
      assert.ok(paid - before <= texts.pages.length);
      const shown = disk.text('/d/out');
      assert.ok(shown === oldText || shown === whole(texts, old ?? []), 'FILE is the old one or whole');
      // With the state gone nothing is interrupted: another run would be a new export.
      if (shown !== oldText && !disk.names().includes('/d/out.part.json')) break;
      continue;
    }
    break;
  }
  return { paid, hits };
}

function newDisk(): MemoryDisk {
  const disk = new MemoryDisk();
  disk.put('/d/out', oldText, 0o440);
  return disk;
}

async function steps(one: Case): Promise<number> {
  const ops = newDisk().process();
  await writePages(ops, one.texts, one.format, () => {}, one.old);
  return ops.steps();
}

async function cases(): Promise<Case[]> {
  const exports = await Promise.all(
    fileFormats.map(async (format) => ({ format, texts: await textsOf(format, pages), old: null })),
  );
  const update = { format: 'ndjson', texts: await textsOf('ndjson', pages), old: ['old 1\n', 'old 2\n'] };
  return [...exports, update];
}

describe('an export stopped at any file operation', () => {
  for (const kind of ['before', 'torn', 'ENOSPC', 'EIO'] as const) {
    test(`${kind}: goes on, pays one page more at the most, same bytes, nothing but FILE left`, async () => {
      for (const one of await cases()) {
        const count = await steps(one);
        assert.ok(count > 30, 'there are operations to stop at');
        for (let step = 1; step <= count; step++) {
          const disk = newDisk();
          const { paid } = await survive(disk, one, [{ step, kind }]);
          const where = `${one.format}, step ${step}`;
          assert.equal(disk.text('/d/out'), whole(one.texts, one.old ?? []), where);
          assert.equal(disk.mode('/d/out'), 0o440, where);
          assert.deepEqual(disk.names(), ['/d/out'], where);
          assert.ok(paid <= pages.length + 1, `${where}: ${paid} pages paid`);
        }
      }
    });
  }

  test('power cut: what was not durable may be lost in any part', async () => {
    for (const one of await cases()) {
      const count = await steps(one);
      for (let step = 1; step <= count; step++) {
        for (const values of [[0], [0.3, 0.9], [0.9, 0.3], [0.3, 0.3, 0.9], [0.5], [0.74], [0.999]]) {
          const disk = newDisk();
          let drawn = 0;
          const random = (): number => values[drawn++ % values.length] ?? 0;
          const { paid } = await survive(disk, one, [{ step, kind: 'torn' }], random);
          const where = `${one.format}, step ${step}, ${values}`;
          assert.equal(disk.text('/d/out'), whole(one.texts, one.old ?? []), where);
          assert.deepEqual(disk.names(), ['/d/out'], where);
          assert.ok(paid <= pages.length + 1, `${where}: ${paid} pages paid`);
        }
      }
    }
  });

  test('power cuts and kills, many, at random, over random pages', async () => {
    const page = fc.array(fc.tuple(fc.nat(999), fc.string({ unit: 'grapheme' })), { maxLength: 4 });
    const property = fc.asyncProperty(
      fc.constantFrom(...fileFormats),
      fc.array(page, { minLength: 1, maxLength: 5 }),
      fc.option(fc.array(fc.string().map((text) => `${text}\n`))),
      fc.array(
        fc.record({ step: fc.integer({ min: 1, max: 70 }), kind: fc.constantFrom('before', 'torn') }),
        {
          maxLength: 6,
        },
      ),
      fc.option(fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1 })),
      async (format, list, old, faults, cuts) => {
        const texts = await textsOf(
          format,
          list.map((ids) => ids.map(([id, title]) => entry(id, title))),
        );
        const disk = newDisk();
        let drawn = 0;
        const random = cuts === null ? null : () => cuts[drawn++ % cuts.length] ?? 0;
        const one = { format, texts, old };
        const { paid, hits } = await survive(disk, one, faults as Fault[], random);
        assert.equal(disk.text('/d/out'), whole(texts, old ?? []));
        assert.deepEqual(disk.names(), ['/d/out']);
        assert.ok(paid <= list.length + hits, `${paid} pages paid for ${list.length}, ${hits} kills`);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test('a page counts once it has been appended, also if power goes right then', async () => {
    const texts = await textsOf('ndjson', pages);
    const one = { format: 'ndjson', texts, old: null };
    const disk = newDisk();
    let paid = 0;
    const stopAt = 3;
    const run = writePages(
      disk.process(),
      texts,
      one.format,
      () => {
        if (++paid === stopAt) throw new Killed();
      },
      null,
    );
    await assert.rejects(run, Killed);
    disk.powerCut(() => 0);
    const { paid: rest } = await survive(disk, one, []);
    assert.equal(rest, pages.length - (stopAt - 1));
    assert.equal(disk.text('/d/out'), whole(texts));
  });
});
