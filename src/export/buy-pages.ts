import { dirname } from 'node:path';
import type { Failure } from '../errors.ts';
import { assertRoom } from '../fs/files.ts';
import type { Format } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import {
  isUnresumable,
  listPages,
  missingEntries,
  needsPage,
  type Page,
  type Sink,
  videoIdOf,
} from '../run/list-pages.ts';
import type { Result } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import type { Export } from './exports.ts';
import { unresumable } from './messages.ts';
import type { RunFile } from './run-file.ts';

/**
 * Buys the remaining pages of a run. A page is durable before the next one is requested. `kept`: entries that FILE keeps.
 * Returns every failure; after `unresumable`, no run can continue from here.
 */
export async function buyPages(
  run: Run,
  one: Export,
  runFile: RunFile,
  select: Sink['select'],
  kept = 0,
): Promise<{ facts: Pick<Result, 'pages' | 'missing' | 'token'>; failure: Failure | null }> {
  const { operation, id, tally } = one;
  const { limit } = runFile.header.request;
  const { token, pages: before } = runFile.position;
  // After a page that showed a loop there is no token that leads on.
  if (needsPage(runFile.position, limit) && token === null && before > 0)
    return {
      facts: { pages: 0, missing: null, token },
      failure: unresumable(one, runFile, 'the list repeats itself'),
    };
  const format = await createFormat('ndjson', { operation, fields: null, several: false, terminal: null });
  const sink = { select, ...sinkOf(one, runFile, format) };
  const { pages, failure } = await listPages(run, id, runFile.position, sink, tally);
  const { position } = runFile;
  const isBroken = failure !== null && isUnresumable(failure, position.token);
  return {
    facts: {
      pages,
      missing: missingEntries(position.total, pages, kept + position.entries),
      token: position.hasMore && failure !== null && !isBroken ? position.token : null,
    },
    failure: isBroken ? unresumable(one, runFile, failure.message, failure.status) : failure,
  };
}

/** Appends pages to a run file. */
function sinkOf({ target: { real, stats } }: Export, runFile: RunFile, format: Format): Omit<Sink, 'select'> {
  const { update, request } = runFile.header;
  return {
    // There must be room for a page, and at the end for the new FILE, which can take its place.
    beforePage: () => {
      runFile.assertInPlace();
      assertRoom(dirname(real), runFile.size + (update === null ? 0 : (stats?.size ?? 0)));
    },
    write: async ({ entries, done }, next, page) => {
      // Keeps a broken page only if it is the last one needed or shows a loop; the next run buys any other again.
      const isLoop = page.broken?.code === 'loop';
      if (page.broken !== null && !isLoop && !done) return;
      // An update that has reached a known entry needs no further page.
      const hasMore = next.hasMore && !(update !== null && done);
      const rows = format.rows({ reference: null }, entries);
      runFile.addPage(
        rows,
        { ...next, hasMore, token: isLoop ? null : next.token },
        update === null ? leftOut(page, entries) : [],
        request.format === 'json' ? (page.info?.toString() ?? null) : null,
      );
    },
  };
}

/** The IDs of the entries of a page that are not selected. */
function leftOut(page: Page, entries: Page['entries']): string[] {
  const selected = new Set(entries);
  return page.entries.flatMap((entry) => (selected.has(entry) ? [] : (videoIdOf(entry) ?? [])));
}
