import { test } from 'node:test';
import fc from 'fast-check';
import { cases } from './cases.ts';
import { fuzzService } from './check.ts';

// More: npm run fuzz.

test('1000 runs with random responses: the right result or a documented failure, in every format', async () => {
  const service = await fuzzService();
  try {
    await fc.assert(
      fc.asyncProperty(cases, (given) => service.check(given)),
      { numRuns: 1000 },
    );
  } finally {
    service.close();
  }
});
