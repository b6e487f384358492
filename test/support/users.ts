import { spawnSync } from 'node:child_process';
import { launcher } from './program.ts';

export const nobody = 65534;

/** Why a test with two users cannot run; false where it can. */
export const notRoot = process.geteuid?.() === 0 ? false : 'only root can act as another user';

/** What runs a command as a user without a name and rights, as in many containers, if this is root; and why it cannot. */
export const unprivileged =
  notRoot === false ? ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'] : [];
const [tool = '', ...words] = [...unprivileged, 'test', '-r', launcher];
export const noUnprivileged =
  spawnSync(tool, words).status === 0 ? false : 'no user without rights can be had here';

/** Does something as another user, if this is root; a process started meanwhile is that user's. */
export async function asUser<T>(user: number, work: () => Promise<T>): Promise<T> {
  if (notRoot !== false) return await work();
  process.setegid?.(user);
  process.seteuid?.(user);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
