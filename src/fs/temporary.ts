import { join } from 'node:path';

/** An unused name in a folder; short, because the final name may have the maximum length. */
export function temporaryIn(folder: string): string {
  return join(folder, `.chanlist-${randomHex()}.tmp`);
}

/** 20 random hexadecimal digits. */
export function randomHex(): string {
  const half = (): string => Math.random().toString(16).slice(2, 12).padEnd(10, '0');
  return half() + half();
}
