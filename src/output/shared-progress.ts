import type { Progress } from './progress.ts';
import type { ProgressState } from './progress-text.ts';

/** One progress line for listings that run side by side: their pages, entries and credits together. */
export function sharedProgress(progress: Progress): Progress {
  const latest = new Map<string, ProgressState>();
  let page = 0;
  let entries = 0;
  let credits = 0;
  return {
    update: (state) => {
      const reference = state.reference ?? '';
      const before = latest.get(reference);
      latest.set(reference, state);
      page += state.page - (before?.page ?? 0);
      entries += state.entries - (before?.entries ?? 0);
      credits += state.credits - (before?.credits ?? 0);
      progress.update({ page, entries, credits, total: null, estimated: null });
    },
    wait: (milliseconds, why) => progress.wait(milliseconds, why),
    stop: () => progress.stop(),
  };
}
