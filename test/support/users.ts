/** Number of the user `nobody`. */
export const nobody = 65534;

/** Why a test with two users cannot run; false where it can. */
export const notRoot = process.geteuid?.() === 0 ? false : 'only root can act as another user';

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
