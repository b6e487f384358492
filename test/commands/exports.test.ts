/** What an export writes, what it leaves alone, and what stops it, beyond the table of export-table.test.ts. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { replaceFs } from '../support/failing.ts';
import { channelId, type SimulatedOptions, video, videoId, videos } from '../support/simulated-service.ts';
import { onlyError, onlyWarning } from '../support/stderr.ts';
import { statuses } from '../support/summary.ts';
import { World, type WorldRun } from '../support/world.ts';

const line = 'uploads @a -o a.ndjson';
const idOf = (name: string): string => channelId(name);
const rows = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => videoId(to - 1 - n));

/** A world whose runs write a summary, with a channel of 12 uploads, 5 a page. */
async function worldOf(t: TestContext, options: SimulatedOptions = {}) {
  const world = Object.assign(await World.open(t, { pageSize: 5, ...options }), { isReported: true });
  return { world, channel: world.service.addChannel('a', { list: videos(0, 12) }) };
}

for (const [format, flags] of [
  ['ndjson', ''],
  ['ndjson', ' --fields title,videoId,*'],
  ['csv', ''],
  ['json', ''],
  ['id', ''],
  ['csv', ' --fields videoId,thumbnails.0.url --limit 12'],
  ['json', ' --limit 11'],
] as const)
  test(`as ${format}${flags}: the bytes of stdout, also after an interruption at each page`, async (t) => {
    // Videos are twice on a page, and on the next ones; a page has none of its own; keys appear late; an ID is null.
    const list = [
      ...videos(20, 24),
      ...videos(22, 23),
      ...videos(20, 22),
      ...videos(22, 23),
      ...videos(0, 4),
    ];
    list.push(video('', { videoId: null }), ...videos(0, 1), ...videos(4, 7, { later: { x: 1.5 } }));
    list.push(...videos(7, 8), ...videos(0, 1));
    const args = `uploads @a -f ${format}${flags}`;
    const { world, channel } = await worldOf(t);
    channel.list = list;
    channel.pageSizes = [5, 3, 5, 5, 5];
    const whole = await world.run(`${args} -o whole`);
    const status = flags.includes('--limit') ? 'limited' : 'complete';
    assert.deepEqual([whole.exit, whole.only.status], [0, status], whole.stderr);
    // Each run gets tokens of its own.
    const bytes = (text: string) => text.replace(/4qmFsg\w+%3D%3D/, 'token');
    const expected = bytes(world.read('whole'));
    // A csv that is rendered from a file has every key that occurs.
    if (format !== 'csv' || flags !== '') assert.equal(expected, bytes((await world.run(args)).stdout));
    for (let at = 1; at <= whole.credits; at++)
      for (const by of [402, 'kill', 'kill-charged'] as const) {
        const name = `${at}${by}`;
        const stopped = await world.run(`${args} -o ${name}`, { at, by });
        assert.ok(stopped.exit !== 0 && !world.has(name), stopped.stderr);
        const resumed = await world.run(`${args} -o ${name}`);
        assert.deepEqual([resumed.exit, resumed.credits], [0, whole.credits - at + 1], resumed.stderr);
        assert.equal(bytes(world.read(name)), expected, name);
        const { entries, file, id, pages, resumed: before } = resumed.only;
        assert.deepEqual([resumed.only.status, file, id], [status, name, channel.id]);
        assert.deepEqual([entries, pages, before > 0], [whole.only.entries, resumed.credits, at > 1]);
      }
  });

test('a folder: an archive that may not be read stops that one only', async (t) => {
  const { world } = await worldOf(t);
  for (const name of ['b', 'c']) world.service.addChannel(name, { list: videos(0, 6, {}, `${name}_`) });
  const args = 'uploads @a @b @c --output-dir lists';
  assert.equal((await world.run(args)).exit, 0);
  const { openSync } = fs;
  replaceFs(t, {
    openSync: (path, ...more) => {
      if (path === join(world.folder, `lists/${idOf('a')}.ndjson`))
        throw Object.assign(new Error(), { code: 'EACCES' });
      return openSync(path, ...more);
    },
  });
  const run = await world.run(`${args} --update --all`);
  assert.deepEqual([run.exit, run.credits], [2, 4], run.stderr);
  assert.deepEqual(statuses(run.summary), ['failed 2', 'unchanged', 'unchanged']);
  // Its entries are still in FILE.
  assert.equal(run.summary?.references[0]?.entries, 12);
  assert.match(onlyError(run), /^@a: lists\/\S+: permission denied \(EACCES\); /);
});

test('a folder: one archive per reference, <ID>.ndjson; a failure of one stops that one only', async (t) => {
  const { world } = await worldOf(t);
  for (const name of ['b', 'c', 'd', 'e'])
    world.service.addChannel(name, { list: videos(0, 6, {}, `${name}_`) });
  world.service.handles.set('@bad', '../UCx');
  mkdirSync(join(world.folder, 'new/lists', `${idOf('c')}.ndjson`), { recursive: true });
  world.write(`new/lists/${idOf('d')}.ndjson`, 'mine\n');
  const args = ['uploads', '@a', '@bad', '@typo', '@c', '@d', '@e', '@b', '--output-dir', 'new/lists'];
  const run = await world.run([...args, '--concurrency', '2']);
  assert.deepEqual([run.exit, run.credits], [2, 3 + 2 + 2], run.stderr);
  const failed = ['failed 8', 'failed 5', 'failed 2', 'failed 2'];
  assert.deepEqual(statuses(run.summary), ['complete', ...failed, 'complete', 'complete']);
  assert.deepEqual(
    run.errors.map((error) => error.split(':')[0]),
    ['@bad', '@typo', '2 references (@c, @d)'],
  );
  assert.deepEqual(world.files(), ['new']);
  assert.deepEqual(
    world.files('new/lists'),
    ['a', 'b', 'c', 'd', 'e'].map((name) => `${idOf(name)}.ndjson`),
  );
  assert.deepEqual(world.ids(`new/lists/${idOf('a')}.ndjson`), rows(0, 12));
  assert.equal(world.read(`new/lists/${idOf('d')}.ndjson`), 'mine\n');
});

test('an entry that could not be read back is refused (8) when its page arrives: no page of it is kept', async (t) => {
  const { world, channel } = await worldOf(t);
  // Six bytes each, once they are escaped.
  channel.list.splice(7, 1, video('long', { title: '\u0080'.repeat(11_500_000) }));
  const run = await world.run(line);
  assert.deepEqual([run.exit, run.credits, run.only.entries, world.files()], [8, 2, 5, []]);
  onlyError(run, 'larger than 64 MiB once its control characters are escaped', '2 credits spent');
  channel.list = videos(0, 12);
  assert.deepEqual([(await world.run(line)).credits, world.ids()], [2, rows(0, 12)]);
});

test('one FILE, two runs: the second fails at once (10) with that reference, other files share the folder', async (t) => {
  const { world } = await worldOf(t);
  for (const name of ['b', 'c']) world.service.addChannel(name, { list: videos(0, 5) });
  const seconds: WorldRun[] = [];
  const unhook = world.service.on(async ({ operation, parameters }) => {
    if (operation !== 'uploads' || parameters.continuation === undefined) return;
    unhook();
    for (const args of [
      '@a @c --output-dir .',
      ...['', ' --dry-run'].map((dry) => `${idOf('b')} -o ${idOf('a')}.ndjson${dry}`),
    ])
      seconds.push(await world.run(`uploads ${args}`, { noSummary: true }));
  });
  const first = await world.run(`uploads @a @b --output-dir . --concurrency 1`, { noSummary: true });
  assert.deepEqual([first.exit, first.stderr], [0, '']);
  assert.deepEqual(
    seconds.map(({ exit }) => exit),
    [10, 10, 10],
  );
  for (const second of seconds) onlyError(second, 'another run is writing');
  assert.deepEqual(world.files(), [`${idOf('a')}.ndjson`, `${idOf('b')}.ndjson`, `${idOf('c')}.ndjson`]);
});

test('a file system without locks: a warning with the first export', async (t) => {
  const { world } = await worldOf(t);
  t.mock.method(Server.prototype, 'listen', function (this: Server) {
    setImmediate(() => this.emit('error', Object.assign(new Error(), { code: 'EOPNOTSUPP' })));
    return this;
  });
  const first = await world.run(line);
  assert.equal(first.exit, 0);
  onlyWarning(first, 'this file system has no locks; do not export one file from two runs at once');
  const second = await world.run(`${line} --update`);
  assert.deepEqual([second.exit, second.stderr], [0, '']);
});

test('what another run has exported since this one began is not exported again', async (t) => {
  const { world } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 5) });
  const unhook = world.service.on(async ({ operation }) => {
    if (operation !== 'uploads') return;
    unhook();
    assert.equal((await world.run('uploads @b --output-dir .', { noSummary: true })).exit, 0);
  });
  const run = await world.run('uploads @a @b --output-dir . --concurrency 1', { noSummary: true });
  assert.deepEqual([run.exit, run.credits], [0, 4], run.stderr);
  onlyWarning(run, '@b: kept');
});

for (const [what, args, make, says] of [
  ['a FILE that appears', line, null, /appeared .*move it away, then run the same command again/],
  ['a FILE that changes', `${line} --restart`, 'mine', /was changed.*the same command without --restart/],
  ['an archive that changes', `${line} --update`, 'archive', /was changed.*run the same command again/],
] as const)
  test(`${what} during a run: 1, it stays; afterwards nothing is paid twice`, async (t) => {
    const { world, channel } = await worldOf(t);
    if (make === 'mine') world.write('a.ndjson', 'old\n');
    if (make === 'archive') assert.equal((await world.run(line)).exit, 0);
    channel.list = videos(0, make === 'archive' ? 23 : 12);
    const mine = make === 'archive' ? `{"videoId":"x"}\n${world.read('a.ndjson')}` : 'mine\n';
    let left = 3;
    const unhook = world.service.on(({ operation }) => {
      if (operation === 'uploads' && --left === 0) world.write('a.ndjson', mine);
    });
    const run = await world.run(args);
    unhook();
    assert.deepEqual([run.exit, run.credits, world.read('a.ndjson')], [1, 3, mine], run.stderr);
    onlyError(run, says, '3 credits spent');
    if (make !== 'archive') renameSync(join(world.folder, 'a.ndjson'), join(world.folder, 'mine'));
    const again = await world.run(args.replace(' --restart', ''));
    assert.deepEqual([again.exit, again.credits], [0, 0], again.stderr);
    assert.deepEqual(world.ids(), make === 'archive' ? [...rows(12, 23), 'x', ...rows(0, 12)] : rows(0, 12));
  });

test('a run that has only to be recorded reports all entries of FILE', async (t) => {
  const { world, channel } = await worldOf(t);
  assert.equal((await world.run(line)).exit, 0);
  channel.list = videos(0, 14);
  // In the way of the record, once the page is bought.
  const inTheWay = join(world.folder, '.chanlist', 'a.ndjson.json.tmp');
  const unhook = world.service.on(({ operation }) => {
    if (operation === 'uploads') mkdirSync(inTheWay);
  });
  assert.equal((await world.run(`${line} --update`)).exit, 1);
  unhook();
  rmdirSync(inTheWay);
  const { only, credits } = await world.run(line);
  assert.deepEqual([only.entries, only.new, only.resumed, credits], [14, 2, 2, 0]);
});

test('--restart that has bought nothing is given again: without it, the pages of the run before would be resumed', async (t) => {
  const { world } = await worldOf(t);
  assert.equal((await world.run(`${line} --max-credits 1`)).exit, 9);
  world.service.failPaid(1, 402);
  const run = await world.run(`${line} --restart`);
  assert.equal(run.exit, 4);
  onlyError(run, 'run the same command again to resume');
});

/** Does something before the new FILE is renamed to its name, and something after it. */
function atRename(t: TestContext, world: World, { before = () => {}, after = () => {} }): void {
  const { renameSync: rename, fdatasyncSync: sync } = fs;
  const isFile = (path: unknown): boolean => String(path) === join(fs.realpathSync(world.folder), 'a.ndjson');
  let isMade = false;
  replaceFs(t, {
    fdatasyncSync: (fd) => {
      sync(fd);
      if (!isMade && fs.existsSync(join(world.folder, '.chanlist/a.ndjson.new.tmp'))) {
        isMade = true;
        before();
      }
    },
    renameSync: (from, to) => {
      rename(from, to);
      if (isFile(to)) after();
    },
  });
}

test('a FILE that appears while the new one is made is not replaced', async (t) => {
  const { world } = await worldOf(t);
  atRename(t, world, { before: () => world.write('a.ndjson', 'mine\n') });
  const run = await world.run(line);
  assert.deepEqual([run.exit, world.read('a.ndjson')], [1, 'mine\n'], run.stderr);
  onlyError(run, 'a.ndjson appeared since this export began', '3 credits spent');
});

test('killed right after the new FILE has its name: the next run only records it', async (t) => {
  const { world } = await worldOf(t);
  const copy = join(world.home, 'copy');
  // Timestamps are kept to the nanosecond.
  atRename(t, world, { after: () => execFileSync('cp', ['-a', world.folder, copy]) });
  assert.equal((await world.run(line)).exit, 0);
  const killed = Object.assign(new World(world.service, copy, world.home), { isReported: true });
  const next = await killed.run(line);
  assert.deepEqual([next.exit, next.requests.length, next.only.entries], [0, 0, 12], next.stderr);
  assert.deepEqual(killed.ids(), rows(0, 12));
});

test('an --all that was killed right after its FILE has its name buys no page again, also in a copy with other times', async (t) => {
  const { world, channel } = await worldOf(t);
  assert.equal((await world.run(line)).exit, 0);
  channel.list = videos(0, 14);
  const copy = join(world.home, 'copy');
  atRename(t, world, { after: () => execFileSync('cp', ['-r', world.folder, copy]) });
  assert.equal((await world.run(`${line} --update --all`)).exit, 0);
  for (const flags of ['--update --all', '--update']) {
    const killed = Object.assign(new World(world.service, `${copy}${flags.length}`, world.home), {
      isReported: true,
    });
    execFileSync('cp', ['-r', copy, killed.folder]);
    const next = await killed.run(`${line} ${flags}`);
    assert.deepEqual([next.exit, next.credits, killed.ids()?.length], [0, 0, 14], next.stderr);
  }
});

test('an update that lacks only its end buys no page again, also if FILE has got an entry of it since', async (t) => {
  const { world, channel } = await worldOf(t);
  assert.equal((await world.run(line)).exit, 0);
  channel.list = videos(0, 14);
  const inTheWay = join(world.folder, '.chanlist/a.ndjson.new.tmp');
  const unhook = world.service.on(({ operation }) => {
    if (operation === 'uploads') mkdirSync(inTheWay);
  });
  const stopped = await world.run(`${line} --update`);
  assert.deepEqual([stopped.exit, stopped.credits], [1, 1], stopped.stderr);
  unhook();
  fs.rmdirSync(inTheWay);
  world.write('a.ndjson', `${JSON.stringify(channel.list[1])}\n${world.read('a.ndjson')}`);
  const resumed = await world.run(line);
  assert.deepEqual([resumed.exit, resumed.credits], [0, 0], resumed.stderr);
  assert.deepEqual(world.ids(), [videoId(13), videoId(12), ...rows(0, 12)]);
});

for (const [args, update] of [
  ['uploads @a -o a.ndjson', '--update --all'],
  ['playlist PLx -o a.ndjson', '--update'],
] as const)
  test(`${args}: a FILE that others damaged while its update was interrupted is refused (1); --update --all adds all that is missing`, async (t) => {
    const { world, channel } = await worldOf(t);
    const list = world.service.addPlaylist('PLx', videos(0, 12));
    await world.run(args);
    const written = world.read('a.ndjson').split('\n');
    list.list = channel.list = [...videos(0, 12), ...videos(12, 14)];
    assert.equal((await world.run(`${args} ${update} --max-credits 1`)).exit, 9);
    // The page that is paid has entries that FILE has lost since.
    for (const [lines, says] of [
      [written.slice(5), 'has 7 entries, but it had 12'],
      [['x', ...written.slice(5)], 'is damaged: line 1 is not JSON'],
    ] as const) {
      world.write('a.ndjson', lines.join('\n'));
      for (const flags of ['', ' --update', ' --dry-run', ' --update --dry-run']) {
        const run = await world.run(args + flags, { noSummary: true });
        assert.deepEqual([run.exit, run.requests], [1, []], `${flags}: ${run.stderr}`);
        onlyError(run, says, '--update --all');
      }
    }
    const all = await world.run(`${args} --update --all`);
    assert.deepEqual([all.exit, all.credits], [0, 3], all.stderr);
    assert.deepEqual(world.ids()?.sort(), rows(0, 14).sort());
  });

for (const uploaded of [12, 14])
  for (const change of ['mv a.ndjson b.ndjson', 'mv a.ndjson b.ndjson; cp b.ndjson a.ndjson'])
    test(`${change} while the feed of ${uploaded} uploads is requested: 1, nothing is paid`, async (t) => {
      const { world, channel } = await worldOf(t);
      // Once the record has a feed, FILE is not read if nothing is new.
      for (const flags of ['', ' --update']) assert.equal((await world.run(line + flags)).exit, 0);
      channel.list = videos(0, uploaded);
      world.service.on(async ({ operation }) => {
        if (operation === 'latest') await world.paste(change);
      });
      const run = await world.run(`${line} --update`);
      assert.deepEqual([run.exit, run.credits], [1, 0], run.stderr);
      onlyError(
        run,
        /a\.ndjson was (?:changed|removed) during this run; it was not replaced; (?:put it back, then )?run the same/,
      );
      assert.deepEqual(world.ids('b.ndjson'), rows(0, 12));
    });

for (const [what, mark] of [
  ['with a byte order mark', '\ufeff'],
  ['without one', ''],
] as const)
  test(`an archive that was saved as UTF-16 ${what} is refused (1), and not repaired; check has no fix`, async (t) => {
    const { world, channel } = await worldOf(t);
    const args = `uploads ${channel.id} -o a.ndjson`;
    assert.equal((await world.run(args)).exit, 0);
    channel.list = videos(0, 14);
    const utf16 = Buffer.from(mark + world.read('a.ndjson'), 'utf16le');
    for (const [text, state] of [
      [utf16, 'an archive'],
      [Buffer.from(utf16).swap16(), 'an archive'],
      [utf16, 'without a record'],
    ] as const) {
      writeFileSync(join(world.folder, 'a.ndjson'), text);
      if (state === 'without a record') world.remove('.chanlist');
      for (const flags of ['--update', '--update --all', '--update --dry-run']) {
        const run = await world.run(`${args} ${flags}`, { noSummary: true });
        assert.deepEqual([run.exit, run.requests], [1, []], `${state} ${flags}: ${run.stderr}`);
        onlyError(run, 'a.ndjson is UTF-16; save it as UTF-8');
      }
      if (state === 'without a record') continue;
      const check = await world.run('check a.ndjson');
      const { code, message, fix } = JSON.parse(check.lines[0] ?? '').problem;
      assert.deepEqual(
        [check.exit, code, fix, message],
        [11, 'damaged', null, 'a.ndjson is UTF-16; save it as UTF-8'],
      );
    }
  });

test('a page is durable, and there is room for one more, before the next is requested', async (t) => {
  const { world, channel } = await worldOf(t);
  const events: string[] = [];
  world.service.on(({ operation }) => void events.push(operation ?? ''));
  const { fdatasyncSync } = fs;
  const disk = { blocks: 1, bsize: 1, bfree: 1e9, bavail: 1e9 };
  replaceFs(t, {
    fdatasyncSync: (fd) => {
      events.push('sync');
      fdatasyncSync(fd);
    },
    statfsSync: () => disk as never,
  });
  await world.run(line);
  const page = ['uploads', 'sync'];
  assert.deepEqual(events, ['resolve', 'sync', ...page, ...page, ...page, 'sync']);
  channel.list = videos(0, 14);
  // An update writes FILE again.
  for (const [args, free, operations] of [
    ['uploads @a -o b.ndjson', 4 * 1024 * 1024 - 1, ['resolve']],
    [`${line} --update`, 4 * 1024 * 1024 + 1500, ['latest']],
  ] as const) {
    Object.assign(disk, { bfree: free, bavail: free });
    const full = await world.run(args);
    assert.deepEqual([full.exit, full.credits, full.operations], [1, 0, operations], full.stderr);
    onlyError(full, 'not enough disk space');
  }
});

const pagesFile = '.chanlist/a.ndjson.run';

test('pages that are removed during a run, resumed or not: 1, FILE stays, no further page is bought', async (t) => {
  const { world } = await worldOf(t);
  world.write('a.ndjson', 'mine\n');
  let requests = Number.POSITIVE_INFINITY;
  world.service.on(({ operation }) => {
    if (operation === 'uploads' && --requests === 0) world.remove(pagesFile);
  });
  for (const isResumed of [false, true]) {
    if (isResumed) assert.equal((await world.run(`${line} --restart --max-credits 1`)).exit, 9);
    requests = isResumed ? 1 : 2;
    const { credits, ...run } = await world.run(isResumed ? line : `${line} --restart`);
    assert.deepEqual(
      [run.exit, credits, world.read('a.ndjson')],
      [1, isResumed ? 1 : 2, 'mine\n'],
      run.stderr,
    );
    onlyError(run, 'a.ndjson.run was removed during this run', `${credits} credit`);
  }
});

test('a record that cannot be opened stops its own export only', async (t) => {
  const { world } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 5) });
  mkdirSync(join(world.folder, 'lists/.chanlist', `${idOf('a')}.ndjson.json`), { recursive: true });
  const run = await world.run('uploads @a @b --output-dir lists --concurrency 1');
  assert.deepEqual([run.exit, statuses(run.summary)], [1, ['failed 1', 'complete']], run.stderr);
  onlyError(run, '@a: ', 'is a folder, not a file');
});

test('an interrupted update of a playlist starts over if others have changed FILE: nothing of its pages is lost', async (t) => {
  const { world } = await worldOf(t);
  const list = world.service.addPlaylist('PLx', videos(0, 12));
  const args = 'playlist PLx -o p.ndjson';
  await world.run(args);
  list.list = [...videos(0, 12), ...videos(12, 13)];
  assert.equal((await world.run(`${args} --update --max-credits 2`)).exit, 9);
  const [first = '', ...others] = world.read('p.ndjson').split('\n');
  world.write('p.ndjson', `{"videoId":"x1"}\n{"videoId":"x2"}\n${others.join('\n')}`);
  const run = await world.run(`${args} --update`);
  assert.equal(run.exit, 0, run.stderr);
  assert.ok(world.ids('p.ndjson')?.includes(JSON.parse(first).videoId));
});

test('a .chanlist that becomes a link during a run: 1, no further page is bought', async (t) => {
  const { world } = await worldOf(t);
  const unhook = world.service.on(async ({ operation }) => {
    if (operation !== 'uploads') return;
    unhook();
    await world.paste('mv .chanlist real; ln -s real .chanlist');
  });
  const run = await world.run(line);
  assert.deepEqual([run.exit, run.credits], [1, 1], run.stderr);
  onlyError(run, /refusing to use \S+\.chanlist: it is a symbolic link; 1 credit spent/);
});

test('an --all that was interrupted continues, also if only the time of FILE has changed', async (t) => {
  const { world } = await worldOf(t);
  await world.run(line);
  assert.equal((await world.run(`${line} --update --all --max-credits 1`)).exit, 9);
  await world.paste('touch a.ndjson');
  const dry = await world.run(`${line} --update --all --dry-run -f ndjson`);
  assert.match(dry.stdout, /continuation=/);
  const all = await world.run(`${line} --update --all`);
  assert.deepEqual(
    [all.exit, all.credits, all.operations],
    [0, 2, ['uploads', 'uploads', 'latest']],
    all.stderr,
  );
});

test('a .chanlist that is removed between two exports of a run is named', async (t) => {
  const { world } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 5) });
  world.service.on(({ operation }) => {
    if (operation === 'uploads') world.remove('lists/.chanlist');
  });
  const run = await world.run('uploads @a @b --output-dir lists --concurrency 1');
  assert.deepEqual([run.exit, run.credits, world.files()], [1, 1, []], run.stderr);
  onlyError(run, '.chanlist was removed during this run');
});

for (const [what, fail] of [
  ['pages that cannot be opened for writing', ['openSync', 'a.ndjson.run', 'EACCES']],
  ['an immutable FILE', ['openSync', 'a.ndjson', 'EPERM']],
] as const)
  test(`${what}: found before anything is paid`, async (t) => {
    const { world } = await worldOf(t);
    world.write('a.ndjson', 'mine\n');
    assert.equal((await world.run(`${line} --restart --max-credits 1`)).exit, 9);
    const [, name, code] = fail;
    const { openSync } = fs;
    replaceFs(t, {
      openSync: (path, flags, mode) => {
        const isForWriting =
          flags === 'r+' || (typeof flags === 'number' && (flags & fs.constants.O_RDWR) !== 0);
        if (isForWriting && String(path).endsWith(`/${name}`)) throw Object.assign(new Error(), { code });
        return openSync(path, flags, mode);
      },
    });
    const run = await world.run(line);
    assert.deepEqual([run.exit, run.requests], [name === 'a.ndjson' ? 2 : 1, []], run.stderr);
    onlyError(run, name, 'permission denied');
  });

for (const operation of ['closeSync', 'unlinkSync'] as const)
  test(`a ${operation} in .chanlist that fails once FILE and record are in place: 0, and the next run tidies up`, async (t) => {
    const { world } = await worldOf(t);
    const { closeSync, openSync, renameSync: rename, unlinkSync } = fs;
    const paths = new Map<number, string>();
    let [isFailing, isOver] = [false, false];
    const failBelow = (path: string | undefined): void => {
      if (isFailing && !isOver && /\.chanlist(?:$|\/a\.ndjson\.(?:run|json))/.test(path ?? ''))
        throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    };
    replaceFs(t, {
      openSync: (path, ...more) => {
        const fd = openSync(path, ...more);
        paths.set(fd, String(path));
        return fd;
      },
      renameSync: (from, to) => {
        rename(from, to);
        isFailing ||= String(to).endsWith('a.ndjson.json');
      },
      closeSync: (fd) => {
        closeSync(fd);
        if (operation === 'closeSync') failBelow(paths.get(fd));
      },
      unlinkSync: (path) => {
        if (operation === 'unlinkSync') failBelow(String(path));
        unlinkSync(path);
      },
    });
    const run = await world.run(line);
    assert.deepEqual([run.exit, isFailing, world.ids()], [0, true, rows(0, 12)], run.stderr);
    if (operation === 'closeSync') assert.equal(run.stderr, '');
    else onlyWarning(run, 'a.ndjson.run: the device reports an error');
    isOver = true;
    const next = await world.run(`${line} --update`);
    assert.deepEqual([next.exit, next.credits, next.stderr, world.has(pagesFile)], [0, 0, '', false]);
  });

test('two runs without a lock: each is done, or is 1; never 0 with a FILE that is not whole', async (t) => {
  for (const [args, before] of [
    [line, 'nothing'],
    [line, 'pages'],
    [`${line} --update`, 'archive'],
    [`${line} --restart`, 'archive'],
  ] as const)
    for (const at of [1, 2, 3]) {
      const { world, channel } = await worldOf(t);
      if (before === 'archive') assert.equal((await world.run(line)).exit, 0);
      if (before === 'pages') assert.equal((await world.run(`${line} --max-credits 1`)).exit, 9);
      const uploads = args.endsWith('--update') ? 27 : 12;
      channel.list = videos(0, uploads);
      let left = at;
      let other: Promise<WorldRun> | null = null;
      const unhook = world.service.on(({ operation }) => {
        if (operation !== 'uploads' || --left !== 0) return;
        world.remove('.chanlist/a.ndjson.lock');
        other = world.run(args, { noSummary: true });
      });
      const runs = [await world.run(args, { noSummary: true })];
      if (other !== null) runs.push(await other);
      unhook();
      const shown = `${args}, at ${at}: ${runs.map(({ exit, stderr }) => `${exit} ${stderr}`).join(', ')}`;
      for (const { exit } of runs) assert.ok(exit === 0 || exit === 1, shown);
      if (runs.some(({ exit }) => exit === 0)) assert.deepEqual(world.ids(), rows(0, uploads), shown);
      const again = await world.run(`${line} --update`, { noSummary: true });
      assert.deepEqual([again.exit, world.ids()], [0, rows(0, uploads)], `${shown}; ${again.stderr}`);
    }
});

test('--restart of what is not found: not gone, if FILE is an archive of another ID', async (t) => {
  const { world } = await worldOf(t);
  await world.run(line);
  const before = world.read('.chanlist/a.ndjson.json');
  const typo = await world.run(`uploads ${idOf('typo')} -o a.ndjson --restart`);
  assert.deepEqual([typo.exit, typo.only.error?.code], [5, 'not_found'], typo.stderr);
  assert.equal(world.read('.chanlist/a.ndjson.json'), before);
  world.remove('.chanlist');
  const handle = await world.run('uploads @typo -o a.ndjson --update');
  assert.deepEqual([handle.exit, handle.credits, world.has('.chanlist')], [5, 0, false], handle.stderr);
});

test('a run that bought nothing leaves no folder; one that bought a page does', async (t) => {
  const { world } = await worldOf(t);
  assert.equal((await world.run(['uploads', '@a', '--output-dir', `new/${'x'.repeat(300)}`])).exit, 2);
  assert.deepEqual(world.files(), []);
  assert.equal((await world.run('uploads @typo --output-dir new/lists')).exit, 5);
  assert.deepEqual(world.files(), []);
  assert.equal((await world.run('uploads @a --output-dir new/lists --max-credits 1')).exit, 9);
  assert.deepEqual(world.files('new'), ['lists']);
});

test('a usage error that is found only once IDs are known leaves nothing behind', async (t) => {
  const { world } = await worldOf(t);
  mkdirSync(join(world.folder, 'd'));
  const refs = `d/${idOf('a')}.ndjson`;
  world.write(refs, '@a\n');
  const run = await world.run(`uploads --from ${refs} --output-dir d`);
  assert.deepEqual([run.exit, run.credits, world.has('d/.chanlist')], [2, 0, false], run.stderr);
  assert.equal(world.read(refs), '@a\n');
});

test('the new FILE of a killed run does not stay, even if the next run has nothing to write', async (t) => {
  const { world } = await worldOf(t);
  await world.run(line);
  for (const name of ['new.tmp', 'run.tmp', 'json.tmp']) world.write(`.chanlist/a.ndjson.${name}`, 'x');
  await world.run(`${line} --update`);
  assert.deepEqual(world.files('.chanlist'), ['.gitignore', 'a.ndjson.json']);
});

test('through a link: its target is replaced with its mode, .chanlist is beside the target', async (t) => {
  const { world } = await worldOf(t);
  const target = join(world.folder, 'real/data.csv');
  mkdirSync(join(world.folder, 'real'));
  world.write('real/data.csv', 'old\n');
  chmodSync(target, 0o604);
  symlinkSync('real/data.csv', join(world.folder, 'a.csv'));
  assert.equal((await world.run('uploads @a -o a.csv --restart', { at: 2, by: 402 })).exit, 4);
  assert.deepEqual([world.files('real'), world.read('a.csv')], [['data.csv'], 'old\n']);
  assert.ok(world.has('real/.chanlist') && !world.has('.chanlist'));
  assert.deepEqual(
    [(await world.run('uploads @a -o a.csv')).credits, statSync(target).mode & 0o777],
    [2, 0o604],
  );
  assert.deepEqual(world.ids('real/data.csv', 'csv'), rows(0, 12));
  assert.equal(readlinkSync(join(world.folder, 'a.csv')), 'real/data.csv');
});

test('an export that fails after a page says how to resume it, before one nothing', async (t) => {
  const { world } = await worldOf(t);
  const stopped = await world.run('uploads @a -o b.ndjson', { at: 2, by: 500 });
  assert.equal(stopped.exit, 7);
  onlyError(stopped, '1 credit spent', 'run the same command again to resume');
  mkdirSync(join(world.folder, '.chanlist/a.ndjson.json'), { recursive: true });
  const error = onlyError(await world.run(line), 'a.ndjson.json is a folder, not a file', 'move it away');
  assert.doesNotMatch(error, /resume/);
});

test('a folder with an interrupted update is copied whole, and resumed', async (t) => {
  const { world, channel } = await worldOf(t);
  await world.run('uploads @a --output-dir old');
  channel.list = videos(0, 23);
  const update = 'uploads @a --update --output-dir';
  assert.equal((await world.run(`${update} old --max-credits 1`)).exit, 9);
  await world.paste('cp -a old new; rm -r old');
  const run = await world.run(`${update} new`);
  assert.deepEqual([run.exit, run.credits, run.only.resumed], [0, 2, 5], run.stderr);
  assert.deepEqual(world.ids(`new/${idOf('a')}.ndjson`), rows(0, 23));
});

test('an ID that was resolved is not asked for again, also if its export was interrupted or not reached', async (t) => {
  const { world } = await worldOf(t);
  for (const name of ['b', 'c']) world.service.addChannel(name, { list: videos(0, 12, {}, `${name}_`) });
  const resolved = async (flags: string): Promise<unknown[]> => {
    const run = await world.run(`uploads @a @b @c --output-dir . --concurrency 1${flags}`);
    return [run.exit, run.operations.filter((operation) => operation === 'resolve').length];
  };
  assert.deepEqual(await resolved(' --max-credits 4'), [9, 3]);
  // What cannot be read is of another export.
  world.write('.chanlist/PLx.ndjson.json', '{');
  assert.deepEqual(await resolved(''), [0, 1]);
  world.pass(400);
  // Not even if the handle is another channel's.
  world.service.handles.set('@a', idOf('b'));
  assert.deepEqual(await resolved(''), [0, 0]);
  assert.deepEqual(await resolved(' --update'), [0, 0]);
  assert.deepEqual(world.ids(`${idOf('a')}.ndjson`), rows(0, 12));
});

test('no output destroys an input, another output or an archive: 2 names both, nothing is sent', async (t) => {
  const { world } = await worldOf(t);
  assert.equal((await world.run(line)).exit, 0);
  world.write('refs.txt', `${idOf('a')}\n`);
  world.write(`${idOf('a')}.ndjson`, `${idOf('a')}\n`);
  symlinkSync('a.ndjson', join(world.folder, 'archive'));
  symlinkSync(`${idOf('a')}.ndjson`, join(world.folder, 'link.json'));
  symlinkSync('.', join(world.folder, 'here'));
  const files = world.files().filter((name) => name !== 'here');
  const before = files.map((name) => world.read(name));
  const { length } = world.service.log;
  for (const [words, one, other] of [
    ['uploads --from refs.txt -o refs.txt --restart', '--from', '--output'],
    ['latest @a --seen refs.txt -o refs.txt', '--seen', '--output'],
    ['latest --from refs.txt --key-file refs.txt', '--from', '--key-file'],
    ['uploads @a -o new --summary .chanlist/new.json', '--summary', "chanlist's own folder"],
    ...['link.json', `${idOf('a')}.ndjson`, `here/${idOf('a')}.ndjson`].map(
      (summary) =>
        [
          `uploads @a --output-dir ./ --summary ${summary}`,
          '--summary',
          'would overwrite an archive of --output-dir',
        ] as const,
    ),
    ['show a.ndjson -o archive', 'a.ndjson', 'same file'],
    ['latest @a --seen archive', 'archive', 'it is an archive'],
    ...['resolve @a', 'latest @a', 'search @a x', 'show refs.txt'].map(
      (command) => [`${command} -o archive`, 'archive', 'it is an archive'] as const,
    ),
    ['resolve @a --summary archive', 'archive', 'it is an archive'],
    ['resolve @a --summary .chanlist/a.ndjson.json', '--summary', "chanlist's own folder"],
    [`uploads --from ${idOf('a')}.ndjson --output-dir .`, '--from', `${idOf('a')}.ndjson`],
  ] as const) {
    const run = await world.run(`${words} -f ${/^show|output-dir/.test(words) ? 'ndjson' : 'id'}`, {
      noSummary: true,
    });
    assert.equal(run.exit, 2, `${words}: ${run.stderr}`);
    onlyError(run, one, other);
  }
  assert.equal(world.service.log.length, length);
  assert.deepEqual(
    world.files().filter((name) => name !== 'here'),
    files,
  );
  assert.deepEqual(
    files.map((name) => world.read(name)),
    before,
  );
});

test('places that cannot be written are 2 before any request', async (t) => {
  const { world } = await worldOf(t);
  world.write('file', '');
  for (const [words, named] of [
    ...['file', 'file/below', '/dev/null/x', '/proc/x/y'].map(
      (path) => [`@a @b --output-dir ${path}`, path] as const,
    ),
    ['@a @b --output-dir new --update', 'new'],
    ['@a -o none/a.ndjson', 'none'],
    ['@a -o /dev/full', 'device'],
    ['@a @b -o a.ndjson', '-o'],
    [`@a -o ${'x'.repeat(240)}.ndjson`, 'too long'],
    ['@a -o a.ndjson -f table', 'table'],
  ] as const) {
    const run = await world.run(`uploads ${words}`);
    assert.deepEqual([run.exit, run.requests], [2, []], run.stderr);
    onlyError(run, named);
  }
  assert.deepEqual(world.files(), ['file']);
  assert.ok(!world.has('.chanlist'));
  assert.equal((await world.run(`uploads @a -o ${'x'.repeat(239)}.ndjson`)).exit, 0);
});

test('--dry-run over pages that cannot be continued: an export is refused as in a run, an update starts over', async (t) => {
  const { world, channel } = await worldOf(t);
  const page = videos(20, 25, { index: '0' });
  const looping = [...page, ...page, ...videos(0, 12)];
  const dry = (flags: string) => world.run(`${line} --dry-run -f ndjson${flags}`, { noSummary: true });
  channel.list = looping;
  assert.equal((await world.run(line)).exit, 8);
  const refused = await dry('');
  assert.deepEqual([refused.exit, refused.stdout], [8, '']);
  onlyError(refused, 'cannot be continued: the list repeats itself', '--restart');
  channel.list = videos(0, 12);
  assert.equal((await world.run(`${line} --restart`)).exit, 0);
  channel.list = looping;
  assert.equal((await world.run(`${line} --update`)).exit, 8);
  const { url, cost } = JSON.parse((await dry(' --update')).stdout);
  assert.deepEqual(
    [url, cost],
    [`${world.service.url}/api/v2/media/channel/videos?channel=${channel.id}`, 1],
  );
});

test('--dry-run: the first request of each export, or what the run would refuse; nothing is sent or changed', async (t) => {
  const { world, channel } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 5) });
  const url = (path: string): string => `${world.service.url}/api/v2/media/channel/${path}`;
  const dry = async (flags = '') => {
    const { length } = world.service.log;
    const line = `uploads @a @b --output-dir lists --dry-run -f ndjson${flags}`;
    const { exit, stderr, lines } = await world.run(line, { noSummary: true });
    assert.equal(world.service.log.length, length);
    const records = lines.map((each) => JSON.parse(each) as Record<string, unknown>);
    return { exit, stderr, records: records.map(({ url, cost }) => [url, cost]) };
  };
  const none = await world.run(`uploads ${channel.id} --output-dir lists --dry-run -f ndjson`);
  assert.deepEqual([none.exit, none.lines.length, world.has('lists')], [0, 1, false]);
  for (const [env, exit] of [
    [{ CHANLIST_API_KEY: '' }, 3],
    [{ CHANLIST_MAX_CREDITS: 'x' }, 2],
  ] as const)
    assert.equal((await world.run('uploads @a -o x --dry-run', { env, noSummary: true })).exit, exit);
  // Refused like the run.
  world.write('mine', 'a,b\n');
  const proxied = { ALL_PROXY: 'socks5://x', CHANLIST_BASE_URL: 'https://x.example' };
  for (const [line, env] of [
    ['uploads @a --output-dir mine', {}],
    ['latest @a --seen mine', {}],
    ['uploads @a', proxied],
  ] as const)
    for (const flag of ['', ' --dry-run'])
      assert.equal((await world.run(line + flag, { env, noSummary: true })).exit, 2, line + flag);
  const first = await dry();
  const resolve = (name: string) => [url(`resolve?input=%40${name}`), 0];
  assert.deepEqual([first.exit, first.records, world.has('lists')], [0, [resolve('a'), resolve('b')], false]);
  assert.match(first.stderr, /^chanlist: 2 requests, at least 2 credits$/m);
  await world.run('uploads @a --output-dir lists --max-credits 1');
  const second = await dry();
  assert.deepEqual([second.records.length, second.records[0]?.[1]], [2, 1]);
  assert.match(String(second.records[0]?.[0]), /videos\?continuation=/);
  await world.run('uploads @a @b --output-dir lists');
  assert.deepEqual((await dry()).records, [
    [null, 0],
    [null, 0],
  ]);
  assert.deepEqual((await dry(' --update')).records, [
    [url(`latest?channel=${channel.id}`), 0],
    [url(`latest?channel=${idOf('b')}`), 0],
  ]);
  assert.match((await dry(' --update --all')).stderr, /^chanlist: 2 requests, at least 2 credits$/m);
  world.write(`lists/${idOf('b')}.ndjson`, '{}\n');
  const damaged = await dry(' --update');
  assert.deepEqual([damaged.exit, damaged.records.length], [1, 1]);
  onlyError(damaged, 'line 1 has no videoId');
  world.remove('lists/.chanlist');
  const refused = await dry();
  assert.deepEqual([refused.exit, refused.records], [0, [resolve('a'), resolve('b')]]);
  const ids = await world.run(`uploads ${channel.id} --output-dir lists --dry-run`);
  assert.deepEqual(
    [ids.exit, ids.stdout, ids.errors.length, world.has('lists/.chanlist')],
    [2, '', 1, false],
  );
});

test('-o FILE with a list of one good line: it is done, the bad line is a failure of its own (2)', async (t) => {
  const { world } = await worldOf(t);
  world.write('refs.txt', '@a\nno reference\n');
  const run = await world.run('uploads --from refs.txt -o a.ndjson', { noSummary: true });
  assert.deepEqual([run.exit, run.credits, world.ids()], [2, 3, rows(0, 12)], run.stderr);
  onlyError(run, 'refs.txt:2');
});

test('a line that is too long to be resolved is a failure of its own', async (t) => {
  const { world } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 3) });
  world.write('refs.txt', `@a\n@${'y'.repeat(210)}\n@b\n`);
  for (const flags of ['', ' --dry-run'])
    assert.equal((await world.run(`uploads --from refs.txt --output-dir lists${flags}`)).exit, 2);
  for (const name of ['a', 'b']) assert.ok(world.has(`lists/${idOf(name)}.ndjson`), name);
});

test('what a bound of the run stops, the same command continues', async (t) => {
  const { world } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 3) });
  const line = 'uploads @a @b --output-dir lists --max-credits 3 --concurrency 1';
  const first = await world.run(line);
  onlyError(first, 'stopped at --max-credits 3', 'run the same command again to ');
});

test('pages of an update are not continued over a FILE that lost what they left out', async (t) => {
  const { world, channel } = await worldOf(t);
  const line = 'uploads @a -o a.ndjson --update';
  await world.run('uploads @a -o a.ndjson');
  await world.paste('cp -a . ../backup');
  channel.list = videos(0, 30);
  await world.run(line);
  channel.list = videos(0, 50);
  // Four pages of new entries, and two of which FILE has everything.
  assert.equal((await world.run(`${line} --all --max-credits 6`)).exit, 9);
  await world.paste('cp -a ../backup/a.ndjson a.ndjson; cp -a ../backup/.chanlist/a.ndjson.json .chanlist/');
  assert.equal((await world.run(line)).exit, 0);
  assert.deepEqual(world.ids('a.ndjson'), rows(0, 50));
});

test('--update --all repairs a damaged FILE, also if pages of a rotation wait', async (t) => {
  const { world, channel } = await worldOf(t);
  channel.list = videos(0, 30);
  const line = 'uploads @a -o a.ndjson --update';
  await world.run('uploads @a -o a.ndjson');
  assert.equal((await world.run(`${line} --all --max-credits 4`)).exit, 9);
  // A page that was bought had it, and the feed does not.
  await world.paste(
    `touch -r a.ndjson ref; sed -i 's/"a_000000012"/"a_zzzzzzzzz"/' a.ndjson; touch -r ref a.ndjson; rm ref`,
  );
  onlyError(await world.run(line), 'is damaged');
  assert.equal((await world.run(`${line} --all`)).exit, 0);
  assert.ok(world.ids('a.ndjson')?.includes('a_000000012'));
});

test('lines that are left out stay in a copy of FILE, also of a folder whose record is gone', async (t) => {
  const { world } = await worldOf(t);
  const file = `lists/${idOf('a')}.ndjson`;
  const line = 'uploads @a --output-dir lists --update';
  await world.run('uploads @a --output-dir lists');
  await world.paste(`truncate -s -20 ${file}`);
  const damaged = world.read(file);
  for (const hasRecord of [true, false]) {
    if (!hasRecord) world.remove('lists/.chanlist');
    world.write(file, damaged);
    const refused = await world.run(hasRecord ? line : `uploads @a -o ${file} --update`);
    assert.equal(refused.exit, 1);
    const repair = /chanlist uploads @a -o \S+ --base-url \S+ --update --all/.exec(
      onlyError(refused, 'line 12 is not JSON'),
    )?.[0];
    const repaired = await world.paste(repair ?? '');
    assert.equal(repaired?.exit, 0);
    const copy = /saved as (\S+\.damaged)$/.exec(onlyWarning(repaired, 'left out 1 line'))?.[1] ?? '';
    assert.deepEqual([world.ids(file)?.length, world.read(copy)], [12, damaged]);
    // A link in its place is replaced, not followed.
    if (!hasRecord) assert.equal(world.read('victim'), 'precious');
    world.remove(copy);
    world.write('victim', 'precious');
    symlinkSync('../victim', join(world.folder, copy));
  }
});

test('a file of a folder whose record is gone and that has no entry left is repaired by the command of its error', async (t) => {
  const { world } = await worldOf(t);
  const file = `lists/${idOf('a')}.ndjson`;
  await world.run('uploads @a --output-dir lists');
  const whole = world.read(file);
  world.write(file, '\0'.repeat(whole.length));
  world.remove(`lists/.chanlist/${idOf('a')}.ndjson.json`);
  const refused = await world.run('uploads @a --output-dir lists --update');
  assert.deepEqual([refused.exit, refused.credits], [1, 0]);
  const repair = /chanlist uploads .*$/.exec(onlyError(refused, 'line 1 is not JSON'))?.[0];
  const repaired = await world.paste(repair ?? '');
  assert.deepEqual([repaired?.exit, world.read(file)], [0, whole]);
  assert.equal((await world.run('check lists')).exit, 0);
});

test('several files of a folder without records and with bad lines: the line names the repair of one, which check does not know', async (t) => {
  const { world } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 5, {}, 'b_') });
  const line = 'uploads @a @b --output-dir lists';
  await world.run(line);
  world.remove('lists/.chanlist');
  await world.paste('for file in lists/*; do echo x >> $file; done');
  const error = onlyError(await world.run(`${line} --update`), '2 references (@a, @b)');
  assert.match(
    error,
    /@a: restore it, or keep only its entries: chanlist uploads @a -o \S+ --base-url \S+ --update --all$/,
  );
});

test('a record of another channel in a folder: no command replaces the file', async (t) => {
  const { world } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 5, {}, 'b_') });
  await world.run('uploads @a @b --output-dir lists');
  const [a, b] = [idOf('a'), idOf('b')];
  await world.paste(`cd lists/.chanlist; cp -a ${a}.ndjson.json ${b}.ndjson.json`);
  const run = await world.run('uploads @b --output-dir lists --update');
  assert.deepEqual([run.exit, run.credits], [2, 0]);
  onlyError(run, `its record is of ${a}; restore the file and its record under their own names`);
});

test('pages of an update are refused over an archive of another channel', async (t) => {
  const { world, channel } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 3, {}, 'b_') });
  await world.run('uploads @a -o a.ndjson');
  await world.run('uploads @b -o b.ndjson');
  channel.list = videos(0, 30);
  assert.equal((await world.run('uploads @a -o a.ndjson --update --max-credits 1')).exit, 9);
  await world.paste('cp -a b.ndjson a.ndjson; cp -a .chanlist/b.ndjson.json .chanlist/a.ndjson.json');
  const run = await world.run('uploads @a -o a.ndjson --update');
  assert.deepEqual([run.exit, run.credits], [2, 0]);
});

test('an archive of a folder that is a link is refused before anything is paid: its record would be elsewhere', async (t) => {
  const { world, channel } = await worldOf(t);
  await world.run('uploads @a --output-dir lists');
  const file = `${idOf('a')}.ndjson`;
  await world.paste(`mkdir other; mv lists/${file} other; ln -s ../other/${file} lists/`);
  channel.list = videos(0, 20);
  const update = await world.run('uploads @a --output-dir lists --update');
  assert.deepEqual([update.exit, update.credits], [2, 0]);
  onlyError(update, 'is a link to another file; update it alone, with -o FILE');
  // Two channels would be written to one file.
  world.service.addChannel('b', { list: videos(0, 5) });
  await world.paste(`mkdir new; ln -s ${idOf('b')}.ndjson new/${file}`);
  const run = await world.run('uploads @a @b --output-dir new');
  assert.deepEqual([run.exit, run.credits], [2, 1]);
  onlyError(run, '@a', 'is a link to another file');
});
