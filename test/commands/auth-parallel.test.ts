import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readStore } from '../../src/accounts/store.ts';
import { runLogin } from '../../src/commands/auth/login.ts';
import { processContext } from '../../src/context.ts';
import { temporaryFolder } from '../accounts/fake-context.ts';
import { loginOptions } from './auth-options.ts';

const profile = process.env.CHANLIST_TEST_LOGIN;

if (profile !== undefined) {
  // This file again, as one of the processes that log in at the same time.
  const given = loginOptions({ profile, baseUrl: 'https://api.example.com' });
  process.exitCode = await runLogin(given, processContext(), async () => {
    process.send?.('verifying');
    await once(process, 'message');
    process.disconnect?.();
    return 'resolved';
  });
} else {
  test('logins at the same time: none is lost', async (t) => {
    const folder = temporaryFolder(t);
    const names = ['one', 'two', 'three', 'four'];
    const logins = names.map((name) => {
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
        env: { HOME: folder, XDG_CONFIG_HOME: folder, CHANLIST_TEST_LOGIN: name },
        stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
      });
      child.stdin?.end(`sk_live_${name}\n`);
      return child;
    });
    const exits = logins.map(async (child) => (await once(child, 'exit'))[0]);
    // None writes the store before all have read it.
    await Promise.all(logins.map((child) => once(child, 'message')));
    for (const child of logins) child.send('go');
    assert.deepEqual(await Promise.all(exits), [0, 0, 0, 0]);
    const { active, profiles } = readStore({ XDG_CONFIG_HOME: folder });
    assert.deepEqual([...profiles.keys()].sort(), [...names].sort());
    for (const [name, { key }] of profiles) assert.equal(key, `sk_live_${name}`);
    assert.ok(active !== null && names.includes(active));
    assert.deepEqual(readdirSync(join(folder, 'chanlist')), ['config.json']);
  });
}
