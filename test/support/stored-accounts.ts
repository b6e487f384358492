import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The store below a folder that is XDG_CONFIG_HOME. */
export function storeIn(folder: string): string {
  return join(folder, 'chanlist', 'config.json');
}

export interface StoredProfile {
  readonly baseUrl: string;
  readonly namespace: string;
  readonly key: string;
  readonly max_credits?: string;
}

export function writeStore(
  folder: string,
  profiles: Record<string, StoredProfile>,
  active: string | null,
): void {
  writeRawStore(folder, JSON.stringify({ version: 1, active, profiles }));
}

/** Writes any text in place of the store. */
export function writeRawStore(folder: string, text: string): void {
  mkdirSync(dirname(storeIn(folder)), { recursive: true, mode: 0o700 });
  writeFileSync(storeIn(folder), text, { mode: 0o600 });
}

export function storedJson(folder: string): unknown {
  return JSON.parse(readFileSync(storeIn(folder), 'utf8'));
}
