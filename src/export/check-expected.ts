import type { Context } from '../context.ts';
import { type InputReference, readReferences } from '../run/read-references.ts';
import { listingCost, operations } from '../service/contract.ts';
import { type CheckedExport, type FoundExport, handleIn } from './check.ts';
import { firstExportFix, operationOf } from './check-fixes.ts';

/** Which exports were expected, and which references have none. */
export interface Expectation {
  /** The expected reference of each export that has one. */
  readonly matches: ReadonlyMap<FoundExport, string>;
  readonly absent: readonly CheckedExport[];
}

/** The references of `--from`, each once: channels and playlists. Throws usage errors as `readReferences`. */
export async function readExpected(from: string, context: Context): Promise<readonly InputReference[]> {
  const { inputs } = await readReferences([], from, 'channel or playlist', context);
  return inputs.filter(({ first }, index) => first === index);
}

/**
 * Finds the export of each expected reference: by its ID, by the references in memories, and for an export without a
 * memory by the handle in its first entry. `folder`: where absent exports would be; null if there is none.
 */
export async function matchExpected(
  expected: readonly InputReference[],
  exports: readonly FoundExport[],
  folder: string | null,
): Promise<Expectation> {
  const matches = new Map<FoundExport, string>();
  const byName = new Map<string, FoundExport[]>();
  const add = (name: string, found: FoundExport): void => {
    byName.set(name, [...(byName.get(name) ?? []), found]);
  };
  for (const found of exports) {
    if (found.id !== null) add(found.id, found);
    for (const reference of Object.keys(found.memory?.references ?? {})) add(reference, found);
  }
  const match = (name: string, given: string): boolean => {
    const all = byName.get(name) ?? [];
    for (const found of all) if (!matches.has(found)) matches.set(found, given);
    return all.length > 0;
  };
  let left = expected.filter(({ id, value, given }) => !match(id ?? value, given));
  if (left.some(({ value }) => value.startsWith('@'))) {
    for (const found of exports) {
      if (found.memory !== null || matches.has(found)) continue;
      const handle = await handleIn(found);
      if (handle !== null) add(handle.toLowerCase(), found);
    }
    left = left.filter(({ value, given }) => !value.startsWith('@') || !match(value.toLowerCase(), given));
  }
  const [like = null] = exports;
  const absent = left.map((reference) =>
    absentExport(reference, folder, like === null ? null : { ...like, fields: like.memory?.fields ?? null }),
  );
  return { matches, absent };
}

function absentExport(
  { id, given, value, label }: InputReference,
  folder: string | null,
  like: Parameters<typeof firstExportFix>[3],
): CheckedExport {
  const operation = id === null ? operations.uploads : operationOf(id);
  const place = label.endsWith(` ${given}`) ? label.slice(0, -given.length - 1) : '--from';
  return {
    file: null,
    reference: given,
    id,
    entries: null,
    newest: null,
    checked: null,
    failures: 0,
    credits: 0,
    missing: null,
    problems: [
      {
        code: 'absent',
        message: `expected by ${place}, but no export of it is known; exporting it costs at least 1 credit`,
        fix: firstExportFix(operation, value, folder, like),
        cost: listingCost(0),
      },
    ],
  };
}

/** An export with this many looks in vain in this many days is worth a warning. */
const vainDays = 7;
const manyVain = 3;

/** Whether the feed of an export often has IDs that bought pages do not hold; each such look costs a credit. */
export function looksInVain({ memory }: FoundExport, now: number): boolean {
  const since = now - vainDays * 24 * 60 * 60 * 1000;
  return (
    Object.values(memory?.sought ?? {}).filter(({ last }) => Date.parse(last) > since).length >= manyVain
  );
}
