import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure, usage, type Warning } from '../../src/errors.ts';
import { endingOf } from '../../src/run/ending.ts';
import { newReference } from '../../src/run/read-references.ts';
import { type Result, resultOf, unreachedResult } from '../../src/run/results.ts';
import { operations } from '../../src/service/contract.ts';
import type { Step } from '../../src/text/command.ts';

const named = (name: string) => newReference({ given: name, value: name, id: null });
const done = (name: string): Result => resultOf(named(name), { file: 'x', entries: 3, pages: 1 });
const failed = (name: string, failure: Failure): Result => resultOf(named(name), { failure });

/** The ending of a run of `latest` to stdout, which has cost nothing. */
const ending = (results: readonly Result[], facts: Partial<Parameters<typeof endingOf>[0]> = {}) =>
  endingOf(
    {
      operation: operations.latest,
      destination: null,
      warnings: [],
      endedBy: null,
      pipeClosed: false,
      options: { invocation: { name: 'latest', flags: [] } },
      budget: { total: { credits: { confirmed: 0, possibly_charged: 0 } } },
      ...facts,
    },
    results,
  );

const lines = (...of: Parameters<typeof ending>): string[] =>
  ending(...of).failures.map((failure) => failure.line());

/** A result whose reference has cost so many credits. */
function paid(result: Result, confirmed: number): Result {
  result.tally.paidRequests = confirmed;
  result.tally.credits.confirmed = confirmed;
  return result;
}

const down = new Failure('unavailable', 'not available (500)', { status: 500 });
const other = new Failure('unavailable', 'another message', { status: 503 });
const poor = new Failure('no_credits', 'no credits (402)', { status: 402, step: 'add credits' });
const full = new Failure('failed', 'stdout cannot be written');
const budget = new Failure('budget', 'stopped at --max-credits 3');
const outage = down.with({ scope: 'run' });

const allFailed = (names: string, failure: Failure): Result[] =>
  names.split(' ').map((name) => failed(name, failure));
const unreached = (names: string, failure: Failure): Result[] =>
  names.split(' ').map((name) => unreachedResult(named(name), failure));

const gone = new Failure('gone', 'gone: last seen on 2026-03-01', { status: 404 });

const causes: readonly (readonly [results: readonly Result[], endedBy: Failure | null, lines: string[]])[] = [
  // One line per code and status: a count, three references, the first message.
  [
    [...allFailed('@a @b @c @d', down), failed('@e', other), done('@f')],
    null,
    [
      '4 references (@a, @b, @c and others): not available (500); try again later',
      '@e: another message; try again later',
    ],
  ],
  // Channels that are all gone may be at another address.
  [
    [failed('@a', gone), done('@b')],
    null,
    ['@a: gone: last seen on 2026-03-01; if it is gone for good, remove it from your list'],
  ],
  [
    allFailed('@a @b', gone),
    null,
    [
      '2 references (@a, @b): gone: last seen on 2026-03-01; check the address and --namespace before you remove it from your list',
    ],
  ],
  // Each line says what its own references have cost.
  [
    [paid(failed('@a', down), 2), paid(failed('@b', other), 1), paid(done('@c'), 4)],
    null,
    [
      '@a: not available (500); 2 credits spent; try again later',
      '@b: another message; 1 credit spent; try again later',
    ],
  ],
  // References that were not reached are counted in the line of the cause that stopped the run.
  [
    [paid(done('@a'), 2), failed('@b', poor), ...unreached('@c @d', poor)],
    poor,
    ['@b: no credits (402); stopped, 2 more not reached; 2 credits spent; add credits'],
  ],
  [
    [...allFailed('@a @b @c @d @e', down), ...unreached('@f @g', outage)],
    outage,
    [
      '5 references (@a, @b, @c and others): not available (500); stopped, 2 more not reached; try again later',
    ],
  ],
  [
    unreached('@a @b', full),
    full,
    ['stdout cannot be written; stopped, 2 more not reached; run the same command again'],
  ],
  // What ended the run is said once.
  [[failed('@a', poor)], poor, ['no credits (402); add credits']],
  [allFailed('@a @b', down), outage, ['2 references (@a, @b): not available (500); try again later']],
  [[done('@a')], full, ['stdout cannot be written; run the same command again']],
  // Another failure with the same code.
  [
    [failed('@a', new Failure('failed', 'a.csv: no space'))],
    full,
    ['a.csv: no space; run the same command again', 'stdout cannot be written; run the same command again'],
  ],
  [[paid(done('@a'), 2)], full, ['stdout cannot be written; 2 credits spent; run the same command again']],
  // Where nothing was spent, a spent bound says so; pages of one reference wait to be resumed.
  [
    [done('@a'), failed('@b', budget)],
    null,
    ['@b: stopped at --max-credits 3; 0 credits spent; raise this bound'],
  ],
  [
    [failed('@a', budget), failed('@b', budget.resumableWith('run it again to resume'))],
    null,
    ['2 references (@a, @b): stopped at --max-credits 3; 0 credits spent; run it again to resume'],
  ],
];

test('failures are one line per cause: references, message, those not reached, what was spent, next step', () => {
  for (const [results, endedBy, expected] of causes) assert.deepEqual(lines(results, { endedBy }), expected);
});

test('missing feeds need nothing; what they have kept from being reached needs another run', () => {
  const noFeed = new Failure('no_feed', 'the feed is not available', {
    status: 503,
    step: 'no action needed',
  });
  const stopped = allFailed('@a @b', noFeed);
  assert.match(lines(stopped)[0] ?? '', /; no action needed$/);
  const others = unreached('@c', noFeed.with({ scope: 'run', isInherited: true }));
  assert.match(
    lines([...stopped, ...others])[0] ?? '',
    /stopped, 1 more not reached; run the same command again: /,
  );
  // Another missing feed has not stopped anything.
  const gone = failed('@d', new Failure('no_feed', 'no feed', { status: 404, step: 'no action needed' }));
  assert.equal(lines([gone, ...stopped, ...others])[0], '@d: no feed; no action needed');
});

test('bad lines of a list are one line with the step of the first; a command for only one of them is not given', () => {
  const command = { program: 'chanlist playlist', operands: ['PLdemo'] };
  const bad = (name: string, next: Step | null) =>
    failed(`refs.txt:${name}`, usage(`'${name}' is wrong`, next ?? undefined).with({ scope: 'reference' }));
  const [plain, guess, playlist] = [bad('4', null), bad('8', 'did you mean @8?'), bad('9', command)];
  for (const [results, line] of [
    [[plain, guess, playlist], "3 references (refs.txt:4, refs.txt:8, refs.txt:9): the first: '4' is wrong"],
    [[guess, plain], "2 references (refs.txt:8, refs.txt:4): the first: '8' is wrong; did you mean @8?"],
    [
      [playlist, guess],
      "2 references (refs.txt:9, refs.txt:8): the first: '9' is wrong; refs.txt:9: chanlist playlist PLdemo",
    ],
    [[playlist], "refs.txt:9: '9' is wrong; chanlist playlist PLdemo"],
  ] as const)
    assert.deepEqual(lines(results), [line]);
});

test('several damaged archives of a folder: the line that runs every fix', () => {
  const damaged = (name: string): Result =>
    failed(
      name,
      new Failure('damaged', `${name} is damaged`, { step: { purpose: 'repair it', program: name } }),
    );
  const flags = [
    { name: '--output-dir', value: 'my lists' },
    { name: '--max-credits', value: '9/day' },
  ];
  const fix = "chanlist check 'my lists' --max-credits 9/day --json | jq -r '.[].problem.fix // empty' | sh";
  for (const [results, line] of [
    [['@a', '@b'], `2 references (@a, @b): the first: @a is damaged; repair all: ${fix}`],
    [['@a'], '@a: @a is damaged; repair it: @a'],
  ] as const) {
    const options = { invocation: { name: 'uploads', flags } };
    assert.deepEqual(lines(results.map(damaged), { options }), [line]);
    // Each fix would spend a bound of the run again.
    const bound = [...flags, { name: '--max-credits', value: '5' }];
    const bounded = lines(results.map(damaged), {
      options: { invocation: { name: 'uploads', flags: bound } },
    });
    assert.doesNotMatch(bounded[0] ?? '', /repair all/);
  }
  // What no command repairs has no such line.
  const changed = (name: string): Result =>
    failed(name, new Failure('damaged', 'its content differs', { step: 'restore it' }));
  assert.deepEqual(
    lines([changed('@a'), changed('@b')], { options: { invocation: { name: 'uploads', flags } } }),
    ['2 references (@a, @b): its content differs; restore it'],
  );
});

test('warnings with one code are one line; those about no reference are lines of their own', () => {
  const warnings: Warning[] = [
    { code: 'no feed', label: '@a', message: 'checked with a page (1 credit)' },
    { code: 'format', label: null, message: 'csv: left out x' },
    { code: 'no feed', label: '@b', message: 'another' },
    { code: 'format', label: null, message: 'csv: left out y' },
    { code: 'kept', label: '@c', message: 'kept' },
  ];
  assert.deepEqual(ending([], { warnings }).warnings, [
    '2 references (@a, @b): the first: checked with a page (1 credit)',
    'csv: left out x',
    'csv: left out y',
    '@c: kept',
  ]);
});

test('the tally: new, entries, what is no longer listed, pages, credits, where the output went', () => {
  const update = resultOf(named('@a'), {
    file: 'x',
    entries: 1245,
    added: 3,
    pages: 2,
    resumed: 400,
    unlisted: { count: 12, ids: ['a'] },
  });
  const kept = resultOf(named('@a'), { status: 'kept', entries: 9 });
  const long =
    '3 new, 1,245 entries (400 resumed), 12 no longer listed, 2 pages, 2 credits, 1 more possibly charged; in x';
  for (const [result, confirmed, possibly_charged, destination, tally] of [
    [update, 2, 1, 'x', long],
    [failed('@a', down), 1, 0, 'x', '0 entries, 1 credit'],
    [done('@a'), 0, 0, 'x', '3 entries, 1 page; in x'],
    // Nothing was paid or written.
    [failed('@a', down), 0, 0, 'x', null],
    [kept, 0, 0, 'x', null],
    [done('@a'), 0, 0, null, null],
    // The file of -o was not written, because another reference failed.
    [{ ...done('@a'), file: null }, 1, 0, 'x', '3 entries, 1 page, 1 credit'],
  ] as const) {
    const budget = { total: { credits: { confirmed, possibly_charged } } };
    assert.equal(ending([result], { budget, destination }).tally, tally);
  }
  // A pager was left within the first page.
  const budget = { total: { credits: { confirmed: 1, possibly_charged: 0 } } };
  const left = resultOf(named('@a'), { pages: 1 });
  assert.equal(ending([left], { budget, pipeClosed: true }).tally, '1 page, 1 credit');
  // What ended the run does not hide what a resume keeps.
  const stopped = { ...failed('@a', full), entries: 500, pages: 5 };
  assert.equal(ending([stopped], { budget, endedBy: full }).tally, '500 entries, 5 pages, 1 credit');
  // A pager that failed had entries of its page.
  assert.equal(ending([left], { budget, endedBy: full }).tally, '1 page, 1 credit');
  const { uploads } = operations;
  const { tally } = ending([done('@a')], { operation: uploads, destination: 'x' });
  assert.equal(tally, '3 entries, 1 page, 0 credits; in x');
});

test('the exit code is the most severe; a closed pipe hides warnings, and no failure', () => {
  const warnings: readonly Warning[] = [{ code: 'kept', label: '@a', message: 'kept' }];
  const rows: readonly (readonly [Result[], Failure | null, boolean, exit: number, lines: number[]])[] = [
    [[done('@a')], null, false, 0, [1, 0]],
    [[done('@a')], null, true, 0, [0, 0]],
    [[failed('@a', down), failed('@b', budget)], null, false, 7, [1, 2]],
    [[failed('@a', down), done('@b')], null, true, 7, [0, 1]],
    [[failed('@a', down)], full, false, 1, [1, 2]],
    [[resultOf(named('@a'), {})], null, false, 0, [1, 0]],
  ];
  for (const [results, endedBy, pipeClosed, exit, counts] of rows) {
    const ended = ending(results, { endedBy, pipeClosed, warnings });
    assert.deepEqual([ended.exit, [ended.warnings.length, ended.failures.length]], [exit, counts]);
  }
});

test('a failure has the step of its kind, another one, or none', () => {
  for (const [step, line] of [
    [undefined, 'busy; wait until the other run has ended'],
    ['ask', 'busy; ask'],
    [null, 'busy'],
  ] as const)
    assert.equal(new Failure('locked', 'busy', { step }).line(), line);
});

test('how to resume is the next step, after what has to be done first; a command to run first is the step', () => {
  const resume = { purpose: 'resume with', program: 'chanlist uploads', operands: [] };
  const login = { purpose: 'replace the key with', program: 'chanlist auth login', operands: [] };
  const rejected = new Failure('unauthorized', 'rejected', { step: login });
  const again = 'run the same command again to resume';
  for (const [failure, step, line] of [
    [down, again, `${down.message}; ${again}`],
    [down.with({ step: 'free some space' }), again, `${down.message}; free some space, then ${again}`],
    [
      down.with({ step: 'free some space' }),
      resume,
      `${down.message}; free some space, then resume with: chanlist uploads`,
    ],
    [rejected, again, 'rejected; replace the key with: chanlist auth login'],
    [
      rejected,
      resume,
      'rejected; replace the key with: chanlist auth login; then resume with: chanlist uploads',
    ],
  ] as const)
    assert.equal(failure.resumableWith(step).line(), line);
});
