import { join } from 'node:path';
import { Failure, toFailure } from '../errors.ts';
import { acquireLock } from '../fs/lock.ts';
import type { ListingStart, ListingTask } from '../run/run-listing.ts';
import { operations } from '../service/contract.ts';
import { resolvedId } from '../service/references.ts';
import type { ExportRun } from './job.ts';
import { isExportName, type Memory, readMemory, writeMemory } from './memory.ts';

/** A handle resolved within this time (ms) is not resolved again. */
const resolveIntervalMs = 30 * 24 * 60 * 60 * 1000;
/** A FILE that is named by a channel ID. With `-o` others may begin like one: `UCLA.ndjson`. */
const channelFile = /^UC[A-Za-z0-9_-]{22}\.(?:ndjson|json|csv|id)$/;

/** Finds memories and IDs by reference. */
export class IdIndex {
  readonly #byReference = new Map<string, Memory>();
  readonly #byId = new Map<string, Memory>();

  constructor(memories: readonly Memory[], { session, task, folder, format }: ExportRun) {
    for (const memory of memories) {
      if (memory.service !== session.serviceName || memory.command !== task.operation.name) continue;
      // Changed by hand: its ID may be that of another channel, whose whole list would be bought.
      const isNamedById = folder !== null ? isExportName(memory.file) : channelFile.test(memory.file);
      if (isNamedById && memory.file !== `${memory.id}.${memory.format}`) continue;
      // A folder may have exports of a channel in several formats.
      if (memory.format === format || !this.#byId.has(memory.id)) this.#byId.set(memory.id, memory);
      for (const [reference, resolved] of Object.entries(memory.references)) {
        const before = this.#byReference.get(reference)?.references[reference] ?? '';
        if ((resolved ?? '') >= before) this.#byReference.set(reference, memory);
      }
    }
  }

  memoryOf({ id, value }: ListingStart): Memory | null {
    return this.#byId.get(id ?? this.#byReference.get(value ?? '')?.id ?? '') ?? null;
  }

  /**
   * The canonical ID of a reference: its own, the one resolved in the last 30 days, or that of a free `resolve`
   * (service specification, 4.1). A reference keeps its known ID, even if it now resolves to another one or to none.
   */
  async idOf(start: ListingStart, run: ExportRun): Promise<string> {
    if (start.id !== null) return start.id;
    const { client, context } = run.session;
    const { clock } = context;
    const value = start.value ?? '';
    const memory = this.#byReference.get(value) ?? null;
    if (memory !== null && isResolved(memory.references, value, clock.now())) return memory.id;
    let id: string | null;
    try {
      const body = await client.call(operations.resolve, { input: value }, start.receipt.tally);
      id = resolvedId(body);
      if (id === null) throw new Failure('bad_answer', 'the response has no channel_id', { status: 200 });
    } catch (error) {
      const failure = toFailure(error);
      if (memory === null || failure.scope === 'run') throw failure;
      if (failure.code === 'not_found') run.moved.set(value, null);
      return memory.id;
    }
    run.resolved.set(value, new Date(clock.now()).toISOString());
    if (memory === null || memory.id === id) return id;
    run.moved.set(value, id);
    return memory.id;
  }

  /**
   * Marks the references that were not reached as interrupted: the next run starts with them. A memory that another
   * run is writing is left as it is.
   */
  async noteUnreached(folder: string, run: ExportRun): Promise<void> {
    for (const start of run.task.starts) {
      const known = start.receipt.started ? null : this.memoryOf(start);
      if (known === null || known.interrupted) continue;
      const file = join(folder, `${known.id}.${run.format}`);
      try {
        const lock = await acquireLock(file);
        try {
          // Another run may have written it since the call started.
          const memory = await readMemory(file);
          if (memory !== null) await writeMemory(file, { ...memory, interrupted: true }, false);
        } finally {
          await lock.release();
        }
      } catch {
        // The next run starts with the others.
      }
    }
  }
}

/** A start with the ID that a memory has for its reference, unless a call would resolve it again. */
export function withKnownId(
  { operation, context }: ListingTask,
  start: ListingStart,
  memories: readonly Memory[],
): ListingStart {
  const { value } = start;
  if (start.id !== null || value === null) return start;
  const now = context.clock.now();
  const memory = memories.find(
    ({ command, references }) => command === operation.name && isResolved(references, value, now),
  );
  return memory === undefined ? start : { ...start, id: memory.id, value: memory.id };
}

/** Whether a reference was resolved in the last 30 days; not if the clock was far ahead then. */
function isResolved(references: Memory['references'], value: string, now: number): boolean {
  const resolved = Object.hasOwn(references, value) ? references[value] : null;
  return resolved != null && Math.abs(now - Date.parse(resolved)) < resolveIntervalMs;
}
