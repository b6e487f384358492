/** Changes of the program that a test must notice; scripts/mutants.mjs says how they are written. */
export default String.raw`
src/export/next-step.ts: test/export
fits: ({ run }) => run === 'ours', --> fits: ({ run }) => run !== 'none',
src/service/retry.ts: test/service/retry.test.ts
if (maybeCharged >= 2) --> if (maybeCharged > 2)
`;
