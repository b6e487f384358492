/** Changes of the program that a test must notice; scripts/mutants.mjs says how they are written. */
export default String.raw`
src/export/next-step.ts: test/export
'--restart': 'export', --> '--restart': 'keep',
src/service/retry.ts: test/service/retry.test.ts
`;
