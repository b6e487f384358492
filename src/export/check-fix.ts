import { extname } from 'node:path';
import { commandLine, type Flag } from '../cli/invocation.ts';
import { formatByExtension } from '../output/formats.ts';
import { creditsLeft } from '../run/listing.ts';
import type { InputReference } from '../run/references.ts';
import { credits } from '../text/count.ts';
import type { ExportFile } from './inspect.ts';
import { costText, isUpdatable } from './messages.ts';
import { nextStep, type Step } from './next-step.ts';
import type { ExportRequest } from './record.ts';

/** A command that repairs an export, and what it costs, if that is known. */
export interface Fix {
  readonly command: string;
  readonly cost: string | null;
}

const attempts = [
  { update: false, all: false, restart: false },
  { update: true, all: false, restart: false },
  { update: true, all: true, restart: false },
  { update: false, all: false, restart: true },
] as const;

/**
 * The cheapest command that a run would not refuse, by the decision that the run makes; null without an ID. `known`: the
 * request of FILE.
 */
export function fixOf(file: ExportFile, known: ExportRequest, now: number): Fix | null {
  const { progress = null, finished = null } = file.record ?? {};
  const base = progress?.request ?? known;
  if (base.id === '') return null;
  for (const attempt of attempts) {
    // An update has no limit: it would export the whole list.
    if (attempt.update && (!isUpdatable(base) || finished?.isCut)) continue;
    const request = attempt.update ? { ...base, limit: null } : base;
    const step = nextStep(file, { ...attempt, request, isFolder: false, several: false, now });
    if (step.do === 'keep' || step.do === 'refuse') continue;
    // The service may accept its token again, but that repairs nothing for sure.
    if (step.do === 'resume' && progress?.broken) continue;
    const cost = costOf(step, file, attempt.all);
    return { command: commandOf(request, file.target.path, attempt), cost };
  }
  return null;
}

function costOf(step: Step, { record }: ExportFile, all: boolean): string | null {
  const { progress = null } = record ?? {};
  if (step.do === 'update' && !all) return progress === null ? 'free if there is nothing new' : null;
  if (step.do === 'publish') return 'free';
  if (step.do !== 'resume' || progress === null) return costText(record);
  // The entries of an update are only those that FILE lacks: they do not show how many pages are left.
  if (progress.isUpdate) return null;
  const left = creditsLeft(progress, progress.request.limit);
  return left === null ? null : left === 0 ? 'free' : `about ${credits(left)}`;
}

function commandOf(request: ExportRequest, path: string, attempt: (typeof attempts)[number]): string {
  const flags: Flag[] = [{ name: '-o', value: path }];
  if (formatByExtension(extname(path).slice(1)) !== request.format)
    flags.push({ name: '--format', value: request.format });
  if (request.fields !== null) flags.push({ name: '--fields', value: request.fields });
  if (request.limit !== null) flags.push({ name: '--limit', value: String(request.limit) });
  if (attempt.update) flags.push({ name: '--update', value: null });
  if (attempt.all) flags.push({ name: '--all', value: null });
  if (attempt.restart) flags.push({ name: '--restart', value: null });
  return commandLine({ name: request.command, flags }, [request.id]);
}

/** The command that exports a reference which has no export yet. */
export function exportCommand({ reference, value }: InputReference, folder: string): string {
  const name = /^(?:PL|UU|LL|FL|OL)/.test(value) ? 'playlist' : 'uploads';
  return commandLine({ name, flags: [{ name: '--output-dir', value: folder }] }, [reference]);
}
