import type { SandboxSettings } from '../../src/sandbox/defaults.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';

/** A sandbox whose channels change while a test runs. */
export interface TestSandbox extends Sandbox {
  /** Sets the number of uploads of a channel; new uploads come first, old ones keep their IDs. */
  setUploads(handle: string, count: number): void;
}

/** Starts a sandbox with the demo data, and with a method that changes them. */
export async function startTestSandbox(options: Partial<SandboxSettings> = {}): Promise<TestSandbox> {
  const sizes = new Map<string, number>();
  const sandbox = await startSandbox({ sizeOf: (handle) => sizes.get(handle), ...options });
  return { ...sandbox, setUploads: (handle, count) => sizes.set(handle, count) };
}
