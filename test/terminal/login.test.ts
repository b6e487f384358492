import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStore } from '../../src/accounts/store.ts';
import { temporaryFolder } from '../support/program.ts';
import { missing } from '../support/shell.ts';
import { chanlist, open } from './tmux.ts';

const key = 'sk_live_0123456789wxyz';

for (const shell of ['bash --norc -i', 'zsh -f -i'])
  test(`${shell}: after Ctrl-Z and fg at either prompt it asks again, and never shows the key`, {
    skip: missing('tmux', shell.split(' ')[0] ?? ''),
  }, async (t) => {
    const folder = await temporaryFolder(t);
    const env = { XDG_CONFIG_HOME: folder, HOME: folder, PS1: 'ready> ', PROMPT: 'ready> ' };
    const { press, until } = await open(t, shell, { env, columns: 200 });
    const enter = async (text: string): Promise<void> => {
      await press(text);
      await press('Enter');
    };
    await until(/ready>$/);
    await enter(`${chanlist} auth login --no-verify`);
    await until(/api\.example\.com:$/);
    await press('api.exa');
    await until(/: api\.exa$/);
    await press('C-z');
    await until(/(?:Stopped|suspended).*ready>$/s);
    await enter('fg');
    await until(/fg\n.*: api\.exa$/s);
    await enter('mple.com');
    await until(/\(not shown\):$/);
    // What is not shown is asked for again.
    await press('sk_old');
    await press('C-z');
    await until(/\(not shown\):.*ready>$/s);
    await enter('fg');
    await until(/fg\n.*fg\n.*\(not shown\):$/s);
    await enter(key);
    const screen = await until(/is now active\n+ready>$/);
    assert.ok(!screen.includes(key), screen);
    const stored = readStore({ XDG_CONFIG_HOME: folder }).profiles.get('default');
    assert.deepEqual([stored?.baseUrl.href, stored?.key], ['https://api.example.com', key]);
  });
