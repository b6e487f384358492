/** Changes of the program that a test must notice; scripts/mutants.mjs says how they are written. */
export default `
src/export/next-step.ts: test/export
fits: ({ run }) => run === 'ours', --> fits: ({ run }) => run !== 'none',
(hasFolder ? 'export' : 'not mounted') --> 'export'
(isOfAnotherId ? 'another file' : 'update') --> 'update'
src/export/export-all.ts: test/commands/exports.test.ts
const isFirst = options.update && !folder.wasThere; --> const isFirst = false;
await assertPaths({ ...options, output: null }, context, paths); -->
src/export/export-one.ts: test/commands/exports.test.ts
folder.remove(left); -->
if (!replaces) assertUnchanged( --> if (replaces) assertUnchanged(
src/export/export-all.ts: test/commands/export-table.test.ts
.every(({ failure }) => failure?.exit === 2) --> .every(() => false)
src/export/export-one.ts: test/commands/export-table.test.ts test/nights test/model
entries === 0 && target.stats !== null && target.stats.size > 0 --> false
src/export/end-run.ts: test/commands/exports.test.ts
runFile.addEnd(end); -->
src/fs/private-folder.ts: test/fs/private-folder.test.ts
this.#isThere = true; -->
(stats.mode & 0o022) !== 0 --> false
src/service/failures.ts: test/service/failures.test.ts
if (sent && key in invalid && !isCut) --> if (sent && key in invalid)
charge: sent ? 'possibly_charged' : 'none' --> charge: 'none'
src/service/http.ts: test/program/failures.test.ts
if (announced > maxBodyBytes) --> if (false)
src/service/retry.ts: test/service/retry.test.ts
if (maybeCharged >= 2) --> if (maybeCharged > 2)
`;
