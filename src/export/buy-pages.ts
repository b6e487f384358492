import { dirname } from 'node:path';
import type { PagesFile } from '../archive/pages-file.ts';
import type { Failure } from '../errors.ts';
import { assertNotPinned } from '../fs/atomic.ts';
import { assertFreeSpace } from '../fs/files.ts';
import { listPages, missingCount, needsPage, type Sink } from '../run/list-pages.ts';
import type { Result } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import { tokenOf } from '../service/page.ts';
import type { ExportItem } from './export-item.ts';
import { unresumable } from './messages.ts';

const lineEnd = Buffer.from('\n');

export interface BoughtPages {
  readonly facts: Pick<Result, 'pages' | 'missing' | 'token'>;
  readonly failure: Failure | null;
}

/** Returns the failure of an interrupted run whose list repeats itself; null if the run can be continued. */
export const stuckFailure = (item: ExportItem, pages: PagesFile): Failure | null =>
  pages.position.next === 'stuck' && needsPage(pages.position, pages.header.request.limit)
    ? unresumable(item, pages, 'the list repeats itself')
    : null;

/**
 * Buys the remaining pages of an export or update. A page is durable before the next one is requested. `keptEntries`: number
 * of entries that FILE keeps. Returns the failure that stopped buying; after `unresumable`, no run can continue from here.
 */
export async function buyPages(
  run: Run,
  item: ExportItem,
  pages: PagesFile,
  select: Sink['select'],
  keptEntries = 0,
): Promise<BoughtPages> {
  const stuck = stuckFailure(item, pages);
  if (stuck !== null) return { facts: { pages: 0, missing: null, token: null }, failure: stuck };
  const { target } = item;
  assertNotPinned(target);
  const { update, request } = pages.header;
  const sink: Sink = {
    select,
    // The disk must have room for this page and for the new FILE: the pages are deleted only after FILE is written.
    beforePage: () => {
      pages.assertOwn();
      assertFreeSpace(dirname(target.real), pages.size + (update === null ? 0 : (target.stats?.size ?? 0)));
    },
    write: async ({ entries, done }, position, page) => {
      // An invalid page is bought again, unless no further page is needed.
      if (page.broken?.code === 'invalid_response' && !done) throw page.broken;
      const rows = Buffer.concat(entries.flatMap((entry) => [entry.utf8, lineEnd]));
      // An update that has reached a known entry needs no further page.
      const next = update !== null && done ? 'end' : position.next;
      const info = request.format === 'json' ? (page.info?.toString() ?? null) : null;
      pages.addPage(rows, { ...position, next }, { info });
    },
  };
  const listing = await listPages(run, item.id, pages.position, sink, item.reference.tally);
  const { position, failure } = listing;
  const isStuck = failure !== null && position.next === 'stuck';
  // An update does not need this mark: it starts over.
  if (failure?.code === 'unresumable' && update === null) pages.markTokenRefused();
  return {
    facts: {
      pages: listing.pages,
      missing: missingCount(position.total, listing.pages, keptEntries + pages.position.entries),
      token: failure === null ? null : tokenOf(position.next),
    },
    failure: isStuck ? unresumable(item, pages, failure.message, failure.status) : failure,
  };
}
