import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bench } from './fixture.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { killAtEachStep } from './steps.ts';

const sizes = { whole: 8, added: 3, lists: [6, 2, 0] } as const;

async function sweep(name: string, torn: boolean, every: number): Promise<void> {
  const scenario = scenarios(sizes).find((one): one is Scenario => one.name === name);
  assert.ok(scenario);
  const bench = await Bench.open();
  try {
    const { steps, kills } = await killAtEachStep(bench, scenario, torn, every);
    assert.ok(steps > 40, `${steps} file operations`);
    assert.ok(kills >= Math.floor(steps / every) - 5);
  } finally {
    await bench.close();
  }
}

test('killed before each file operation of an export', () => sweep('export, json', false, 1));
test('killed before each file operation of an update', () => sweep('update, csv', false, 1));
test('killed in the middle of writes', () => sweep('update, json', true, 3));
test('killed between file operations of a folder', () => sweep('folder', false, 4));
