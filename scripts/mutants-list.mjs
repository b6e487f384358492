/** Changes of the program that a test must notice; scripts/mutants.mjs says how they are written. */
export default `
src/accounts/ledger-file.ts: test/accounts/ledger-file.test.ts
outcome !== 'free' && --> true &&
per === 'month' || request.day === today --> per === 'month'
src/accounts/ledger.ts: test/accounts/ledger.test.ts
+ credits > bound.credits --> > bound.credits
if (bounds.length > 0) ledger.read(); -->
src/accounts/settings.ts: test/accounts/settings.test.ts
(isForeign ? undefined : profile?.key) --> profile?.key
keyFile === undefined && key --> key
src/accounts/store.ts: test/accounts/store.test.ts
configFileMode: 0o600, --> configFileMode: 0o644,
key: parseKey(key, ''), --> key,
src/cli/flags.ts: test/program/help.test.ts
row.group === undefined || explained --> explained
src/cli/options.ts: test/commands/options.test.ts
known !== undefined && format !== known --> false
src/cli/program.ts: test/commands/options.test.ts
if (foreign !== undefined) throw unknownFlag(path, foreign.name); -->
archives !== null && isView --> false
src/commands/check.ts: test/commands/check.test.ts
if (!isListed || --> if (
if (await isLocked(each.folder, each.name)) continue; -->
bad.length > 0 ? 11 : 0 --> 0
src/commands/run-operation.ts: test/commands/exports.test.ts test/program/usage.test.ts
exports.folder.removeIfUnused(); -->
if (outputDir === null && references.length > 1) --> if (false)
await responses?.assertOutputFile(target, operation); -->
src/commands/show.ts: test/commands/show.test.ts
file?.commit(); -->
return failure.exit; --> return 0;
src/errors.ts: test/service/failures.test.ts
[129, 130, 143, 1, 3, 4, 2, 8, 7, 6, 9, 10, 5, 11] --> [129, 130, 143, 1, 3, 4, 2, 7, 8, 6, 9, 10, 5, 11]
src/export/archive.ts: test/commands/export-table.test.ts
this.#isRepaired = all && one.record !== null; --> this.#isRepaired = all;
record === null || entries >= record.entries --> true
src/export/buy-pages.ts: test/commands/export-table.test.ts
token === null && before > 0 --> false
src/export/buy-pages.ts: test/commands/exports.test.ts
update === null ? leftOut(page, entries) : [] --> []
update === null ? 0 : (stats?.size ?? 0) --> 0
runFile.assertInPlace(); -->
src/export/check-archive.ts: test/commands/check.test.ts
isAsRecorded ? null : record.id --> null
contents.entries < entries --> false
Math.max(maxAge, (daysWithoutFeed + 1) * day) --> maxAge
src/export/decide-update.ts: test/export/decide-update.test.ts
if (isShort || isScheduled || has(videoId)) return false; --> if (isShort || has(videoId)) return false;
missing.checks < maxChecks && havePassed --> havePassed
published.length === 0 || isConnected --> true
src/export/end-run.ts: test/commands/export-table.test.ts
runFile.addEnd(end); -->
...(tally.paidRequests > 0 && { exit: 1 as const }) -->
src/export/end-run.ts: test/commands/exports.test.ts
replaces && target.stats !== null ? markOf(target.stats) : null --> null
const record = one.record?.id === id ? one.record : null; --> const record = one.record;
src/export/export-all.ts: test/commands/exports.test.ts
if (await isLocked(folder, name)) throw lockedFailure(target.path); -->
await new Archive(one, options.all).read(); --> {}
await assertPaths({ ...options, output: null }, context, paths); -->
src/export/export-all.ts: test/program/summary.test.ts
if (!(error instanceof Failure) || error.exit === 2) throw error; -->
src/export/export-all.ts: test/nights/folder.test.ts
failure !== null ? 2 : -->
this.#interrupted.has(name) ? 0 : 1 --> 1
src/export/export-one.ts: test/commands/export-table.test.ts
entries === 0 && target.stats !== null && target.stats.size > 0 --> false
all && resumed.update?.all === false --> all
end === null || !hasMark(one.target.stats, end) --> end === null
src/export/export-one.ts: test/commands/exports.test.ts
folder.remove(left); -->
if (!replaces) assertUnchanged( --> if (replaces) assertUnchanged(
src/export/exports.ts: test/commands/check.test.ts
reference.value === id ? known : null --> null
src/export/exports.ts: test/commands/export-table.test.ts
const isGivenUp = runFile !== null && runFile.header.update !== null && state === 'none'; --> const isGivenUp = runFile !== null && false;
return isRecorded ? 'archive' : 'changed'; --> return 'archive';
stats.size === 0 && !isRecorded --> stats.size === 0
src/export/exports.ts: test/commands/exports.test.ts
if (options.update && !folder.wasThere && !names.some(isFile)) --> if (false)
src/export/latest-feed.ts: test/nights/rules.test.ts
if (entries.length === 0 && hasEntries) --> if (false)
?.includes('/shorts/') ?? false --> ?.includes('/none/') ?? false
src/export/next-step.ts: test/export/next-step.test.ts
if (restart) return 'export'; -->
run === 'ours' ? 'resume' : 'another run' --> 'resume'
update && !hasFolder ? 'not mounted' : 'export' --> 'export'
src/export/record.ts: test/export/checks.test.ts test/export/record.test.ts
missing: missing ?? before.missing, --> missing,
.filter(([id]) => !has(id)) -->
scope !== 'reference' || before.failure --> before.failure
src/export/run-file.ts: test/commands/exports.test.ts
fdatasyncSync(this.#fd); -->
src/export/run-file.ts: test/export/run-file.test.ts
if (value.entries !== entries) return; -->
if (!this.#isNamed) this.remove(); -->
ftruncateSync(fd, this.size); -->
src/export/update-archive.ts: test/nights/rules.test.ts
return !hasWithoutId; --> return false;
!all && last !== null && known.has(last) --> !all && known.size > 0
known.has(id) || newIds.has(id)) return false --> known.has(id)) return false
all && pagesBefore === 0 && seen.isListEnd --> all && seen.isListEnd
src/fs/atomic.ts: test/fs/atomic.test.ts
if (this.#isOpen) this.close(); -->
0o666 & ~process.umask() : stats.mode & 0o777 --> 0o600 : 0o600
src/fs/file-lock.ts: test/fs/file-lock.test.ts
if (['EAGAIN', 'EACCES', 'EPERM'].includes(code)) return true; --> if (['EACCES', 'EPERM'].includes(code)) return true;
src/fs/files.ts: test/fs/files.test.ts
process.geteuid?.() === 0 ? bfree : bavail --> bfree
fs.accessSync(folder, fs.constants.W_OK); -->
src/fs/output-target.ts: test/fs/output-target.test.ts
[real, stats === null ? real : \`\${stats.dev}:\${stats.ino}\`] --> [real]
if (!isInput(file)) others.set(key, file); --> others.set(key, file);
src/fs/private-folder.ts: test/fs/private-folder.test.ts
this.#isThere = true; -->
(stats.mode & 0o022) !== 0 --> false
if (stats.isFile()) return fd; --> return fd;
src/help/document.ts: test/program/help.test.ts
if (operation.credits > 0) return --> if (operation.credits < 0) return
src/help/help-text.ts: test/program/help.test.ts
flags.length < flagsOf(path).length --> true
src/json/json-text.ts: test/json
for (let i = parts.length - 4; i >= 0; i -= 4) { --> for (let i = 0; i < parts.length; i += 4) {
if (isSame || (!canonical && this.#key(parts, i) === key)) --> if (isSame)
src/json/scanner.ts: test/json
else if (canonical && isUnsafe(bytes, position)) canonical = false; -->
if (escaped > 1 || bytes[position + 1] === SLASH) canonical = false; -->
src/output/csv.ts: test/output/rows.test.ts
return /[",\\r\\n]/.test(cell) ? --> return /[",\\n]/.test(cell) ?
leftOut += entries.length - ids.length; -->
src/output/fields.ts: test/output/fields.test.ts
if (fraction.length > zeros) return null; -->
if (hint !== undefined) throw usage( --> if (false) throw usage(
src/output/json.ts: test/output/json.test.ts
const end = { continuation_token: token, --> const end = { continuation_token: null,
tail: () => indent(several ? --> tail: () => indent(false ?
src/output/records.ts: test/output/records.test.ts test/output/fields.test.ts test/output/json.test.ts
if (kind === 'record') return whole; -->
const last = members.findLastIndex( --> const last = members.findIndex(
src/output/stderr.ts: test/output/stderr.test.ts
if (secret.length >= minSecretLength) this.#secret = secret; -->
if (this.#waiting !== null) return void this.#waiting.push(text); -->
src/output/stdout.ts: test/output/stdout.test.ts test/output/progress.test.ts
await this.write(slice(text, 0, -1)); --> await this.write(text);
throw stop.aborted ? stop.reason : new ClosedPipe(); --> throw new ClosedPipe();
src/output/stdout.ts: test/program/export.test.ts
if (this.#descriptor?.isFile) { --> if (false) {
src/output/table.ts: test/output/table.test.ts
if (column.isWhole || isNumber(text)) minWidth --> if (column.isWhole) minWidth
const text = terminal === null ? cell : cut(cell, width); --> const text = cut(cell, width);
src/output/width.ts: test/output/table.test.ts
if (used < columns) kept += character; --> kept += character;
src/run/list-pages.ts: test/commands/output.test.ts test/program/listing.test.ts
hasMore: page.hasMore || !isWhole, --> hasMore: page.hasMore,
token: isWhole && page.broken === null ? page.next : page.token, --> token: page.next,
src/run/list-pages.ts: test/run/list-pages.test.ts
if (empty === 0) previous = page.list; --> previous = page.list;
if (entries.length > 0) previous = onPage; --> previous = onPage;
if (id !== null && previous.has(id)) continue; -->
src/run/open-run.ts: test/program/summary.test.ts
if (failure.exit !== 2) await write( --> if (false) await write(
src/run/output.ts: test/commands/exports.test.ts
assertDistinctPaths(files); -->
src/run/print-listings.ts: test/program/export.test.ts
if (error !== result.failure) throw error; --> throw error;
src/run/print-listings.ts: test/program/listing.test.ts
failure === null || failure.code === 'budget' ? null --> false ? null
add.push({ name: '--limit', value: String(limit - entries) }); --> add.push({ name: '--limit', value: String(limit) });
src/run/print-responses.ts: test/nights/seen.test.ts
if (target === null) seen?.accept(); --> seen?.accept();
if (target !== null && written.every(({ failure }) => failure === null)) seen?.accept(); --> if (target !== null) seen?.accept();
src/run/read-references.ts: test/run/read-references.test.ts
const repeats = firsts.get(value) ?? null; --> const repeats = null;
(start === -1 ? line : line.slice(0, start)) --> line
src/run/report-lines.ts: test/run/report-lines.test.ts
tally.paidRequests > 0 || failure?.code === 'budget' --> tally.paidRequests > 0
src/run/results.ts: test/program/summary.test.ts
const total = end && budget.total; --> const total = budget.total;
src/run/run.ts: test/program/listing.test.ts
this.#failuresInRow >= maxFailuresInRow --> false
? this.#failuresInRow + 1 : 0; --> ? this.#failuresInRow + 1 : this.#failuresInRow;
failure?.exit === 7 || failure?.exit === 8 --> failure
src/run/run.ts: test/program/summary.test.ts
return exit === 0 ? 1 : exit; --> return exit;
src/run/seen.ts: test/nights/seen.test.ts
if (ids.size > savedCount) writeFileAtomic( --> if (false) writeFileAtomic(
const printed = isKnown ? fresh.slice(0, limit ?? undefined) : []; --> const printed = isKnown ? fresh.slice(0, limit ?? undefined) : fresh;
src/sandbox/query.ts: test/sandbox/refusals.test.ts
.length !== 1) --> .length < 1)
size >= minimum && --> true &&
src/sandbox/response-bodies.ts: test/sandbox
place?.operation !== operation --> place === null
token !== undefined && faults.includes('expire') --> faults.includes('expire')
src/sandbox/server.ts: test/sandbox
account.credits -= operation.credits; -->
account.credits < 1 --> account.credits < 0
src/service/budget.ts: test/service/budget.test.ts
committed > bound.credits --> committed >= bound.credits
this.#reserved += credits; -->
src/service/client.ts: test/commands/waits.test.ts
if (operation.credits > 0) tally.paidRequests++; -->
if (operation.credits > 0 && outcome.charge === 'possibly_charged') progress.maybeCharged++; -->
src/service/client.ts: test/service/client.test.ts
const settle = await budget.reserve(operation.credits, tally); --> const settle = await budget.reserve(operation.credits, tally); this.#throttle.untilResumed = async () => {};
src/service/failures.ts: test/service/failures.test.ts
if (status === 403 && !isJson) return blocked; -->
if (sent && key in invalid && !isCut) --> if (sent && key in invalid)
src/service/http.ts: test/program/failures.test.ts
if (end > maxBodyBytes) --> if (false)
if (announced > maxBodyBytes) --> if (false)
src/service/parse-reference.ts: test/service/parse-reference.test.ts
if (channelId.test(id)) return id; --> if (id.startsWith('UC')) return id;
src/service/retry.ts: test/service/retry.test.ts
const totalMs = (pausesRun ? runWaitMs : requestWaitMs) + waitMs; --> const totalMs = requestWaitMs + waitMs;
retryAfterMs === null || (status !== 429 && status !== 503) --> true
src/text/sanitize.ts: test/output/sanitize.test.ts test/output/stderr.test.ts
.toWellFormed(); --> ;
const percent = /[%\\\\]/.test(character) ? --> const percent = false ?
`;
