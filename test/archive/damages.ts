import { seeded } from '../../src/sandbox/random.ts';

/** Changes a copy of bytes at a random place: a flipped bit, or a stretch that is cut, doubled, swapped or zeroed. */
function damaged(whole: Buffer, random: () => number): { readonly what: string; readonly bytes: Buffer } {
  const below = (n: number): number => Math.floor(random() * n);
  const at = below(whole.length);
  const end = Math.min(whole.length, at + 1 + below(300));
  const [start, stretch, rest] = [whole.subarray(0, at), whole.subarray(at, end), whole.subarray(end)];
  const parts = ((): readonly [string, ...Buffer[]] => {
    switch (below(10)) {
      case 0:
        return ['cut', start, rest];
      case 1:
        return ['doubled', start, stretch, stretch, rest];
      case 2: {
        const length = Math.min(stretch.length, rest.length);
        return ['swapped', start, rest.subarray(0, length), stretch, rest.subarray(length)];
      }
      case 3:
        return ['zeroed', start, Buffer.alloc(stretch.length), rest];
      default: {
        const flipped = Buffer.from([(whole[at] ?? 0) ^ (1 << below(8))]);
        return ['flipped', start, flipped, whole.subarray(at + 1)];
      }
    }
  })();
  const [what, ...all] = parts;
  return { what: `${what} at ${at}`, bytes: Buffer.concat(all) };
}

export const damages = {
  of: damaged,
  /** CHANLIST_SEED repeats a run, CHANLIST_COUNT sets how many. */
  settings: (usual: number) => {
    const seed = Number(process.env.CHANLIST_SEED ?? Date.now() % 1_000_000_000);
    return { seed, random: seeded(seed), count: Number(process.env.CHANLIST_COUNT ?? usual) };
  },
};
