import { basename } from 'node:path';
import { commandLine, extensionOf, type Flag } from '../../cli/options.ts';
import { formatByExtension } from '../../output/formats.ts';
import { sandboxName } from '../../run/session.ts';
import { playlistId } from '../../service/parse-reference.ts';
import { type ExportFlags, nextStep, type Step } from '../decide/next-step.ts';
import type { ExportFile } from '../inspect/inspect-export.ts';
import { isUpdatable, restCost, wholeCost } from '../messages.ts';
import type { ExportRequest } from '../record/export-record.ts';

/** A command that repairs an export. */
export interface Fix {
  readonly command: string;
  /** What it costs, if that is known. */
  readonly cost: string | null;
  /**
   * The flags of a run over a whole folder that repairs this export and costs no more; null: there is none.
   */
  readonly folderFlags: { readonly name: ExportRequest['command']; readonly update: boolean } | null;
}

/** The flags of the commands that may repair an export, the cheapest first. */
const attempts: readonly Pick<ExportFlags, 'update' | 'all' | 'restart'>[] = [
  { update: false, all: false, restart: false },
  { update: true, all: false, restart: false },
  { update: true, all: true, restart: false },
  { update: false, all: false, restart: true },
];

/**
 * The cheapest command that a run would not refuse, by the decision that the run makes; null without an ID. `known`: the
 * request of FILE.
 */
export function fixOf(file: ExportFile, known: ExportRequest, now: number): Fix | null {
  const request = file.progress?.request ?? known;
  if (request.id === '') return null;
  const { path } = file.target;
  const unresumable = file.record?.failure?.code === 'unresumable';
  for (const attempt of attempts) {
    if (attempt.update && !isUpdatable(request)) continue;
    const flags = { ...attempt, request, unresumable, isFolder: false, several: false, now };
    const step = nextStep(file, flags);
    if (step.do === 'keep' || step.do === 'refuse') continue;
    const { command: name, format, fields, limit, service } = request;
    const isPlain = format === 'ndjson' && fields === null && limit === null && service !== sandboxName;
    const isInFolder = isPlain && basename(path) === `${request.id}.ndjson`;
    const isCheap = isInFolder && !attempt.all && !attempt.restart;
    return {
      command: commandOf(request, path, attempt),
      cost: costOf(step, file, attempt),
      folderFlags: isCheap ? { name, update: attempt.update } : null,
    };
  }
  return null;
}

function costOf(step: Step, { progress }: ExportFile, { all }: Pick<ExportFlags, 'all'>): string | null {
  if (step.do === 'record') return 'free';
  if (step.do === 'resume' && progress !== null) return restCost(progress);
  if (step.do === 'export' || all) return wholeCost;
  return progress === null ? 'free if there is nothing new' : null;
}

function commandOf(request: ExportRequest, path: string, attempt: (typeof attempts)[number]): string {
  const flags: Flag[] = [{ name: '-o', value: path }];
  if (request.service === sandboxName) flags.push({ name: '--sandbox', value: null });
  if (formatByExtension(extensionOf(path)) !== request.format)
    flags.push({ name: '--format', value: request.format });
  if (request.fields !== null) flags.push({ name: '--fields', value: request.fields });
  if (request.limit !== null) flags.push({ name: '--limit', value: String(request.limit) });
  for (const flag of ['update', 'all', 'restart'] as const)
    if (attempt[flag]) flags.push({ name: `--${flag}`, value: null });
  return commandLine({ name: request.command, flags }, [request.id]);
}

/** The command that exports a reference which has no export yet; null without a folder. */
export function exportCommand(
  reference: { readonly reference: string; readonly value: string },
  folder: string | null,
): string | null {
  if (folder === null) return null;
  return commandLine({ name: listingOf(reference.value), flags: [{ name: '--output-dir', value: folder }] }, [
    reference.reference,
  ]);
}

/** The command that a reference belongs to. */
export const listingOf = (value: string): ExportRequest['command'] =>
  playlistId.test(value) ? 'playlist' : 'uploads';

/** The run over a list and a folder. */
export function folderCommand(
  from: string,
  folder: string,
  { name, update }: NonNullable<Fix['folderFlags']>,
): string {
  const flags: Flag[] = [
    { name: '--from', value: from },
    { name: '--output-dir', value: folder },
  ];
  if (update) flags.push({ name: '--update', value: null });
  return commandLine({ name, flags }, []);
}
