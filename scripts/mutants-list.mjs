/** Changes of the program that a test must fail on: see mutants.mjs. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of the program

const budget = [
  'test/service/budget.test.ts',
  'test/accounts/ledger.test.ts',
  'test/accounts/ledger-lines.test.ts',
  'test/nights/receipt.test.ts',
  'test/program/faults/connections.test.ts',
  'test/program/faults/unreachable.test.ts',
  'test/program/listing.test.ts',
];
const paging = [
  'test/service/pages.test.ts',
  'test/program/faults/loops.test.ts',
  'test/program/faults/broken-answers.test.ts',
  'test/program/listing.test.ts',
];
const exporting = [
  'test/program/export.test.ts',
  'test/export',
  'test/faults/durable.test.ts',
  'test/faults/system-calls.test.ts',
  'test/nights/moving.long.test.ts',
  'test/program/export-interrupted.test.ts',
  'test/program/export-update.test.ts',
];
const updating = [
  'test/nights/rules.test.ts',
  'test/nights/moving.long.test.ts',
  'test/program/export-update.test.ts',
];
const sessions = [
  'test/nights/outage.long.test.ts',
  'test/nights/folder.long.test.ts',
  'test/program/export-folder.test.ts',
];
const ledger = [
  'test/accounts/ledger-lines.test.ts',
  'test/accounts/ledger.test.ts',
  'test/accounts/bounds.test.ts',
  'test/accounts/local-time.test.ts',
  'test/program/credits.test.ts',
];
const text = ['test/output', 'test/json', 'test/program/faults/key.test.ts'];
const small = ['test/fs', 'test/faults/durable.test.ts', 'test/nights/receipt.test.ts'];

const row = (tests) => (name, file, from, to) => ({ name, file: `src/${file}`, from, to, tests });
const b = row(budget);
const p = row(paging);
const e = row(exporting);
const u = row(updating);
const s = row(sessions);
const l = row(ledger);
const t = row(text);
const w = row(small);

/** Mutants that survived the tests of version 0.1.0, or that only random tests caught. */
const earlier = [
  row(['test/program/faults/key.test.ts', 'test/accounts/key.test.ts'])(
    '0 a key given as a file name is shown',
    'accounts/key.ts',
    "return mayBeKey(path) ? 'the file' : path;",
    'return path;',
  ),
  u(
    '0 FILE removed during an update: only the newest entries',
    'export/export-reference.ts',
    'isDropped || (interrupted',
    '(interrupted',
  ),
  e(
    '0 a limited export stopped after a whole page cannot finish',
    'export/full.ts',
    'const cutAt = cut && hasMore ?',
    'const cutAt = hasMore ?',
  ),
  row([...paging, ...exporting])(
    '0 a token loop over resumed runs',
    'export/write-pages.ts',
    'sent: file.marks,',
    "sent: '',",
  ),
  e('0 the memory is not synced', 'fs/replace-owned.ts', 'if (durable) await file.sync();', ''),
  e(
    "0 the memory's folder is not synced",
    'export/memory.ts',
    'if (durable) await ops.syncFolder(dirname(path));',
    '',
  ),
  l('0 a torn last line of the ledger', 'accounts/ledger-lines.ts', 'return `\\n${JSON', 'return `${JSON'),
  e('0 a torn last line of the state', 'export/state.ts', 'lines.slice(0, -1).entries()', 'lines.entries()'),
  w('0 small files are not synced', 'fs/write-whole.ts', 'await file.sync();', ''),
  w('0 the folder of small files is not synced', 'fs/write-whole.ts', 'await ops.syncFolder(folder);', ''),
  row(['test/export/check.test.ts'])(
    '0 the cost of a fix is that of the missing entries',
    'export/check.ts',
    'fix: restartFix(facts),\n      cost: listingCost(memory?.entries ?? 0),',
    'fix: restartFix(facts),\n      cost: listingCost((memory?.entries ?? 0) - (ids?.entries ?? 0)),',
  ),
  b('0 retries of the call always 0', 'service/client.ts', 'total.retries++;', ''),
  w('0 the store is not synced', 'fs/replace-owned.ts', 'if (durable) await file.sync();', ''),
  w(
    '0 the store is written in place',
    'fs/replace-owned.ts',
    'const temporary = `${path}.tmp`;',
    'const temporary = path;',
  ),
  row(['test/service', 'test/commands/waits.test.ts', 'test/program/faults/retry-after.test.ts'])(
    '0 a 429 that extends a pause',
    'service/retry-throttle.ts',
    'await this.#clock.sleep(left, this.#signal);\n    }',
    'await this.#clock.sleep(left, this.#signal);\n      return;\n    }',
  ),
  t('0 zero-padded HTML entities of the key, decimal', 'text/secret.ts', '&#0*(\\d{1,3})', '&#(\\d{1,3})'),
  t('0 zero-padded HTML entities of the key, hex', 'text/secret.ts', '&#x0*([', '&#x(['),
  row([...text, 'test/commands', 'test/program/auth.test.ts'])(
    '0 a key of eight characters is shown',
    'output/stderr.ts',
    'secret.length >= minSecretLength',
    'secret.length > minSecretLength',
  ),
  t(
    '0 a key of eight characters in base64',
    'text/secret.ts',
    'if (secret.length < minSecretLength)',
    'if (secret.length <= minSecretLength)',
  ),
  e(
    '0 kill during --restart: the rows are not adopted',
    'export/partial-file.ts',
    'await adoptRows(state, paths, ops);',
    '',
  ),
  e(
    '0 kill during --restart: rows named before the state',
    'export/partial-file.ts',
    'await this.#writeState(progress);\n    await this.#ops.rename(this.#paths.temporary, this.#paths.part);',
    'await this.#ops.rename(this.#paths.temporary, this.#paths.part);\n    await this.#writeState(progress);',
  ),
  e(
    '0 a lone surrogate in a stored token',
    'export/state.ts',
    'isText(value) && value.isWellFormed()',
    'isText(value)',
  ),
  p('0 a lone surrogate in a sent token', 'service/pages.ts', ' || !next.isWellFormed()', ''),
  b('0 about 0 credits more', 'run/position.ts', 'left === null ? null : Math.max(1, left)', 'left'),
  e('0 a JSON export with a token counts as complete', 'output/read/json.ts', ' && token === null;', ';'),
  s(
    '0 a halted call buys one more page',
    'service/client.ts',
    'this.#abortSignal.throwIfAborted();\n      if (operation',
    'if (operation',
  ),
  t('0 U+009F', 'text/unsafe.ts', "'\\\\u007f-\\\\u009f'", "'\\\\u007f-\\\\u009e'"),
  t('0 U+202E', 'text/unsafe.ts', '\\\\u202a-\\\\u202e', '\\\\u202a-\\\\u202d'),
  t('0 U+2069', 'text/unsafe.ts', '\\\\u2066-\\\\u2069', '\\\\u2066-\\\\u2068'),
  t('0 DEL', 'text/unsafe.ts', "'\\\\u007f-\\\\u009f'", "'\\\\u0080-\\\\u009f'"),
  t('0 CR in CSV', 'output/csv.ts', '/[",\\r\\n]/', '/[",\\n]/'),
  t('0 lone surrogates on stderr', 'text/sanitize.ts', ".replace(loneSurrogates, '\\ufffd')", ''),
  t(
    '0 the first of duplicate keys',
    'json/json-text.ts',
    'for (let i = parts.length - 4; i >= 0; i -= 4) {',
    'for (let i = 0; i < parts.length; i += 4) {',
  ),
];

/** Mutants of the money paths. */
const money = [
  // The budget.
  b('1 one credit too many', 'service/budget.ts', 'needed > bound.credits', 'needed > bound.credits + 1'),
  b(
    '1 possibly charged ones do not count',
    'service/budget.ts',
    'return credits.confirmed + credits.possibly_charged;',
    'return credits.confirmed;',
  ),
  b(
    '1 reserved ones do not count',
    'service/budget.ts',
    'spent(this.total.credits) + this.#reserved + credits;',
    'spent(this.total.credits) + credits;',
  ),
  b('1 reservations are not added', 'service/budget.ts', 'this.#reserved += credits;', ''),
  b('1 reservations are not ended', 'service/budget.ts', 'this.#reserved -= credits;', ''),
  b('1 the reference is not charged', 'service/budget.ts', 'tally.credits[charge] += credits;', ''),
  b('1 the call is not charged', 'service/budget.ts', 'this.total.credits[charge] += credits;', ''),
  b(
    '1 the ledger gets no outcome',
    'service/budget.ts',
    'if (noted?.spent === null) noted.settle(charge);',
    '',
  ),
  b('1 a waiting request is not awakened', 'service/budget.ts', 'for (const wake of waiting) wake();', ''),
  b('1 a request does not wait for others', 'service/budget.ts', 'isCertain || this.#reserved === 0', 'true'),
  b(
    '1 the ledger is not asked before the first request',
    'service/budget.ts',
    "if (this.bounds.some(({ per }) => per !== 'call')) await this.#open();",
    '',
  ),
  b(
    '1 no bound in memory holds',
    'service/budget.ts',
    '.filter((bound) => needed > bound.credits)',
    '.filter(() => false)',
  ),
  b(
    '1 bounds of the call are left to the ledger',
    'service/budget.ts',
    "bounds.filter(({ per }) => per === 'call')",
    '[]',
  ),
  // Charging.
  b(
    '2 a 200 is only possibly charged',
    'service/client.ts',
    "charge = 'confirmed';",
    "charge = 'possibly_charged';",
  ),
  b('2 a lost answer is free', 'service/client.ts', "charge = 'possibly_charged';", ''),
  b(
    '2 a request that was not sent is charged',
    'service/client.ts',
    'if (error.sent && (error',
    'if ((error',
  ),
  b(
    '2 an error that breaks off is charged',
    'service/client.ts',
    '(error.status === null || error.status === 200)',
    'true',
  ),
  b(
    '2 a 200 that breaks off is free',
    'service/client.ts',
    '(error.status === null || error.status === 200)',
    'error.status === null',
  ),
  b('2 nothing is settled', 'service/client.ts', 'this.#budget.settle(reservation, charge, tally);', ''),
  b(
    '2 paid requests are not counted',
    'service/client.ts',
    'if (operation.credits > 0) tally.paidRequests++;',
    '',
  ),
  // The end of paging.
  p('3 paging continues after the last page', 'service/pages.ts', 'if (!page.hasMore) return;', ''),
  p('3 a broken page is followed', 'service/pages.ts', 'if (page.broken !== null) throw page.broken;', ''),
  p('3 eleven empty pages', 'service/pages.ts', 'empty >= maxEmptyPages', 'empty > maxEmptyPages'),
  p(
    '3 empty pages need not be consecutive',
    'service/pages.ts',
    'previous = page.list;\n      empty = 0;',
    'previous = page.list;',
  ),
  row([...paging, ...exporting])(
    '3 empty pages of earlier runs',
    'service/pages.ts',
    'let empty = start.empty ?? 0;',
    'let empty = 0;',
  ),
  p(
    '3 a page that is repeated',
    'service/pages.ts',
    'if (previous !== null) return page.list.equals(previous);',
    'if (previous !== null) return false;',
  ),
  row([...paging, ...exporting])(
    '3 a page that a resumed run repeats',
    'service/pages.ts',
    'return lastPage !== null && pageDigest(page) === lastPage;',
    'return false;',
  ),
  p('3 tokens sent in this run', 'service/pages.ts', 'seen.has(mark(next)) || ', ''),
  p(
    '3 the first token is not marked',
    'service/pages.ts',
    'if (token !== null) seen.add(mark(token));',
    'if (token !== start.token && token !== null) seen.add(mark(token));',
  ),
  p(
    '3 an empty token',
    'service/pages.ts',
    "if (next === undefined || next === '')",
    'if (next === undefined)',
  ),
  p(
    '3 no has_more means the end',
    'service/pages.ts',
    "if (hasMore === undefined) return broken(page, 'the page does not say whether there are more (has_more)');",
    '',
  ),
  p(
    '3 --limit buys one page more',
    'run/listing.ts',
    'done: wanted.length === room,',
    'done: wanted.length < entries.length,',
  ),
  p('3 repeated entries', 'run/listing.ts', 'id != null && (before.has(id) || written.has(id));', 'false;'),
  e(
    '3 repeated entries after a resume',
    'export/full.ts',
    'repeatFilter(task.operation, progress.ids, written)',
    'repeatFilter(task.operation, [])',
  ),
  // Rules of updates.
  u('4 Shorts are expected', 'export/look.ts', '!unlisted && !seen', '!seen'),
  u('4 scheduled ones are expected', 'export/feed.ts', 'Date.parse(published) > now', 'false'),
  u(
    '4 what was looked for in vain is always due',
    'export/look.ts',
    'return pause !== undefined && isOver',
    'return pause === undefined || isOver',
  ),
  u(
    '4 looks are not counted',
    'export/look.ts',
    'const looks = (next.get(id)?.looks ?? 0) + 1;',
    'const looks = 1;',
  ),
  u(
    '4 a fifth look',
    'export/look.ts',
    'const soughtPauses = [1, 2, 4, 8];',
    'const soughtPauses = [1, 2, 4, 8, 16];',
  ),
  u(
    '4 pages end with any known entry',
    'export/update.ts',
    'const endsKnown = end !== undefined && known.has(end);',
    'const endsKnown = pageIds.some((id) => known.has(id));',
  ),
  u(
    '4 the page with the last entry of FILE is not the last',
    'export/update.ts',
    '(endsKnown || last >= 0)',
    'endsKnown',
  ),
  u(
    '4 unknown entries below known ones are dropped',
    'export/update.ts',
    '(last < 0 || i < last) && this.#take(ids[i])',
    '(last < 0 || i < last) && this.#take(ids[i]) && !this.pageIds.slice(0, i).some((id) => known.has(id))',
  ),
  u(
    '4 entries below the last one are dropped',
    'export/update.ts',
    'this.#isPastEnd ? entries.filter((_, i) => i > last && this.#take(ids[i])) : null;',
    'null;',
  ),
  u(
    '4 rows of the interrupted run are bought twice',
    'export/update.ts',
    'this.#known.has(id) || this.#taken.has(id)',
    'this.#known.has(id)',
  ),
  u(
    '4 rows of earlier runs are not known',
    'export/update.ts',
    'new Set([...before.ids, ...rows])',
    'new Set<string>()',
  ),
  u(
    '4 a missing feed buys at once',
    'export/look.ts',
    'if (feed === null) {\n    remember',
    'if (feed === undefined) {\n    remember',
  ),
  u(
    '4 a feed outage buys for every channel',
    'export/look.ts',
    'if (feeds.isDown || !isOver(feed.last, pause, now)) return null;',
    'if (!isOver(feed.last, pause, now)) return null;',
  ),
  u(
    '4 a missing feed buys every night',
    'export/look.ts',
    'if (feeds.isDown || !isOver(feed.last, pause, now)',
    'if (feeds.isDown',
  ),
  u(
    '4 feed looks are not counted',
    'export/look.ts',
    'looks: feed.looks + 1, last',
    'looks: feed.looks, last',
  ),
  u(
    '4 another channel',
    'export/update.ts',
    'if (held !== undefined && job.id !== null && !channels.has(job.id)) throw foreignFile(job, held);',
    '',
  ),
  u('4 --all stops at known entries', 'export/update.ts', 'done: !this.#takesAllPages && (', 'done: ('),
  u(
    '4 an interrupted update is not resumed',
    'export/update.ts',
    '!task.options.all && interrupted === null) {\n    receipt.status',
    '!task.options.all) {\n    receipt.status',
  ),
  // Where an export resumes.
  e(
    '5 the rows are not cut to what is committed',
    'export/partial-file.ts',
    'if (size > bytes) await rows.truncate(bytes);',
    '',
  ),
  e(
    '5 rows that are too short',
    'export/partial-file.ts',
    'if (size < bytes) throw damaged(`${paths.part} is shorter than ${paths.state} says`);',
    '',
  ),
  e(
    '5 the page token instead of the next',
    'run/listing.ts',
    'token: resumable ? page.next : page.token,',
    'token: page.token,',
  ),
  row(['test/nights/receipt.test.ts'])(
    '5 the next token although the page was cut',
    'run/listing.ts',
    'token: resumable ? page.next : page.token,',
    'token: page.next ?? page.token,',
  ),
  e(
    '5 rows are not durable before the state',
    'export/partial-file.ts',
    'if (changed) await rows.datasync();',
    '',
  ),
  e('5 the state is not durable', 'export/partial-file.ts', 'await this.#log.datasync();', ''),
  e('5 a new state is not durable', 'export/partial-file.ts', 'await log.sync();', ''),
  e(
    '5 the name of a new state is not durable',
    'export/partial-file.ts',
    'await this.#ops.rename(stateTemporary, state);\n      await this.#ops.syncFolder(folder);',
    'await this.#ops.rename(stateTemporary, state);',
  ),
  e(
    '5 credits of earlier runs',
    'export/write-pages.ts',
    'confirmed: before.confirmed + now.confirmed - start.confirmed,',
    'confirmed: now.confirmed - start.confirmed,',
  ),
  e(
    '5 the start of the token instead of that of the run',
    'export/write-pages.ts',
    'token: before.pages > 0 ? before.token : start.token,',
    'token: start.token,',
  ),
  e(
    '5 the rows are not the ones that are named',
    'export/partial-file.ts',
    "if (found?.kind !== 'file' || found.ino !== own?.ino)",
    "if (found?.kind !== 'file')",
  ),
  e(
    '5 the columns of the first page',
    'export/full.ts',
    'fileFormat(run, progress.columns)',
    'fileFormat(run, null)',
  ),
  e(
    '5 the dates of the first night',
    'export/full.ts',
    'itemOf(job, file.header.published)',
    'itemOf(job, await publishedDates(job))',
  ),
  e(
    '5 no room is looked for',
    'export/write-pages.ts',
    'checkRoom(dirname(target.real), Math.max(minRoom, 2 * sink.pageBytes) + plan.reserve)',
    'Promise.resolve()',
  ),
  e(
    '5 the state is removed before the rows',
    'export/partial-file.ts',
    'await removeIfThere(paths.temporary, ops, finishedMode);',
    'await removeIfThere(paths.state, ops);\n  await removeIfThere(paths.temporary, ops, finishedMode);',
  ),
  e(
    '5 a finished run is not finished',
    'export/partial-file.ts',
    'if (await isResult(from)) await',
    'if (await isResult(target.real)) return null;\n  if (await isResult(from)) await',
  ),
  // The ledger.
  l('6 free requests count', 'accounts/ledger-lines.ts', "if (line.outcome !== 'free') return;", 'return;'),
  l(
    '6 possibly charged ones are free',
    'accounts/ledger-lines.ts',
    "if (line.outcome !== 'free') return;",
    "if (line.outcome === 'confirmed') return;",
  ),
  l(
    '6 requests of other origins count',
    'accounts/ledger-lines.ts',
    'if (line.origin !== this.#origin) return;',
    '',
  ),
  l('6 unreadable lines are free', 'accounts/ledger-lines.ts', 'this.#unplaced++;\n      this.#total++;', ''),
  l('6 an outcome counts twice', 'accounts/ledger-lines.ts', 'this.#pending.delete(line.id);', ''),
  l(
    '6 one credit more per day or month',
    'accounts/ledger.ts',
    'if (spent + credits > bound.credits) return {',
    'if (spent + credits > bound.credits + 1) return {',
  ),
  l(
    '6 only the month counts',
    'accounts/ledger.ts',
    "bound.per === 'day' ? sums.spent(day) : sums.spent()",
    'sums.spent()',
  ),
  l('6 later requests of others count', 'accounts/ledger.ts', 'if (line.id !== id) return;', ''),
  l('6 a refused request stays noted', 'accounts/ledger.ts', "this.#settle(file, id, 'none');", ''),
  l(
    '6 a ledger that fails does not stop a bound',
    'accounts/ledger.ts',
    "if (this.#bounds.length > 0 || error.code === 'usage') throw ledgerFailure(error);",
    '',
  ),
  // The end of a call.
  s(
    '7 six failures are an outage',
    'run/session.ts',
    '++this.#failedInRow >= outageLength',
    '++this.#failedInRow > outageLength',
  ),
  s(
    '7 a success does not end a row of failures',
    'run/session.ts',
    'this.#failedInRow = 0;\n    this.#service',
    'this.#service',
  ),
  s(
    '7 a failure of the call does not end it',
    'run/session.ts',
    "if (failure.scope === 'call') this.#end(failure);",
    '',
  ),
  s(
    '7 the memory of another run is overwritten',
    'export/id-index.ts',
    'const memory = await readMemory(file);\n          if (memory !== null) await',
    'const memory = known;\n          await',
  ),
  s(
    '7 a memory with the ID of another channel',
    'export/id-index.ts',
    'if (isNamedById && memory.file !== `${memory.id}.${memory.format}`) continue;',
    '',
  ),
  s(
    '7 free work ends with the budget',
    'errors.ts',
    "budget: { exit: 9, scope: 'purchases'",
    "budget: { exit: 9, scope: 'call'",
  ),
];

export const mutants = [...earlier, ...money];
