import { constants, type Stats } from 'node:fs';
import { access, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { Failure, systemCode, toFailure, usage } from '../errors.ts';
import { nodeFileOps } from '../fs/file-ops.ts';
import { memoryFolder, partialSuffixes } from '../fs/kept-names.ts';
import { isLocked } from '../fs/lock.ts';
import { kindOf } from '../fs/owned.ts';
import { readProblem } from '../fs/read-input.ts';
import { isText, parseObject } from '../json/shape.ts';
import { parseFields } from '../output/fields.ts';
import { type FileFormat, formatByExtension, formatNames, isFileFormat } from '../output/formats.ts';
import { shortNames } from '../run/reports.ts';
import { spent } from '../service/budget.ts';
import { listingCost, operations, type PagedOperation, pagedOperations } from '../service/contract.ts';
import { count } from '../text/count.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { type ExportFacts, operationOf, restartFix, resumeFix, updateFix } from './check-fixes.ts';
import { type Memory, memoryPath, readMemory, UnusableMemory } from './memory.ts';
import { digestOf, PartialFile } from './partial-file.ts';
import type { ProblemCode } from './problem-codes.ts';
import { type FileIds, readEntries, readIdSet, recognizeFormat } from './read/read-file.ts';
import type { State } from './state.ts';

/** A problem of an export, as `check` prints it. */
export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
  /** The command that fixes it, quoted for the shell, or a short instruction. */
  readonly fix: string;
  /** About how many credits the fix costs. */
  readonly cost: number;
}

/** The result of a check, as printed: these keys in this order. */
export interface CheckedExport {
  readonly file: string | null;
  readonly reference: string | null;
  readonly id: string | null;
  /** Number of entries; null if they cannot be counted. */
  readonly entries: number | null;
  /** ID of the first entry. */
  readonly newest: string | null;
  /** Last successful look (ISO 8601); null if unknown. */
  readonly checked: string | null;
  readonly failures: number;
  readonly credits: number;
  readonly missing: number | null;
  readonly problems: readonly Problem[];
}

/** An export that was found; its content has not been read. */
export interface FoundExport {
  /** Path as shown. */
  readonly file: string;
  /** Path without symbolic links; its memory, lock and partial files are beside it. */
  readonly real: string;
  readonly id: string | null;
  readonly format: FileFormat;
  readonly memory: Memory | null;
}

export interface FoundExports {
  readonly exports: readonly FoundExport[];
  /** Why memories cannot be used; each reason once. */
  readonly problems: readonly string[];
}

export interface CheckOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds; null: any age is accepted. */
  readonly maxAge: number | null;
}

const idName = /^((?:UC|PL|UU|LL|FL|OL)[A-Za-z0-9_-]+)\.[a-z]+$/;
const partialName = /\.part(?:\.json|\.tmp|\.json\.tmp)?$/;
/** From this many consecutive failed runs on, an export is `failing`. */
const manyFailures = 3;
const hour = 60 * 60 * 1000;

/**
 * Finds the exports that the paths name. In a folder: those with a memory, and files (also interrupted ones) named by
 * an ID with a known extension. Throws usage errors for paths that do not exist or cannot be read.
 */
export async function findExports(paths: readonly string[]): Promise<FoundExports> {
  const found = new Map<string, FoundExport>();
  const problems = new Set<string>();
  for (const path of paths) {
    const stats = await statOf(path);
    const isFolder = stats?.isDirectory() === true;
    if (stats !== null && !isFolder && !stats.isFile())
      throw usage(`${path} is ${kindOf(stats)}`, 'name exports, or folders of exports');
    const files = isFolder
      ? await filesIn(path, problems)
      : [{ file: path.replace(partialName, ''), isListed: true }];
    for (const { file, isListed } of files) {
      const real = await realPath(file);
      if (found.has(real)) continue;
      const { memory, problem, inTheWay } = await memoryOf(real);
      if (problem !== null) problems.add(problem);
      // Only an untrusted memory names it.
      if (inTheWay && !isListed) continue;
      const format = await formatOf(file, memory);
      if (format === null)
        throw usage(
          `${file}: no format has the extension ${extname(file)}`,
          'name files that chanlist exported',
        );
      const isThere = stats !== null || memory !== null || problem !== null || (await isInProgress(real));
      if (!isThere) throw usage(`${path}: there is no such file or folder`, 'name exports, or their folder');
      const id = memory?.id ?? idName.exec(basename(file))?.[1] ?? null;
      found.set(real, { file, real, id, format, memory });
    }
  }
  return { exports: [...found.values()], problems: [...problems] };
}

/** The exports in a folder, sorted by name. `isListed`: the folder has files of it, not only its memory. */
async function filesIn(
  folder: string,
  problems: Set<string>,
): Promise<{ readonly file: string; readonly isListed: boolean }[]> {
  const found = new Map<string, boolean>();
  try {
    const remembered = await readdir(join(folder, memoryFolder));
    for (const name of remembered)
      if (name.endsWith('.json')) found.set(name.slice(0, -'.json'.length), false);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT')
      problems.add(`${join(folder, memoryFolder)} cannot be read: ${readProblem(error)}`);
  }
  try {
    for (const name of (await readdir(folder)).map((each) => each.replace(partialName, '')))
      if (idName.test(name) && formatOfExtension(name) !== null) found.set(name, true);
  } catch (error) {
    throw usage(`${folder} cannot be read: ${readProblem(error)}`, 'name a folder that this user can read');
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, isListed]) => ({ file: join(folder, name), isListed }));
}

/** The memory of an export; null with the reason if it cannot be used. */
async function memoryOf(
  real: string,
): Promise<{ memory: Memory | null; problem: string | null; inTheWay: boolean }> {
  try {
    return { memory: await readMemory(real), problem: null, inTheWay: false };
  } catch (error) {
    if (!(error instanceof UnusableMemory)) throw error;
    const left = error.newer ? ' and is left as it is; update chanlist' : '';
    return { memory: null, problem: `${error.message}${left}`, inTheWay: error.inTheWay };
  }
}

/** The remembered format, else that of the extension; a file without one shows its format itself. */
async function formatOf(file: string, memory: Memory | null): Promise<FileFormat | null> {
  const remembered = fileFormat(memory?.format);
  if (remembered !== null) return remembered;
  const shown = extname(file) === '' ? await recognizeFormat(file).catch(() => null) : null;
  return shown ?? formatOfExtension(file);
}

function fileFormat(text: string | undefined): FileFormat | null {
  const name = formatNames.find((each) => each === text);
  return name !== undefined && isFileFormat(name) ? name : null;
}

function formatOfExtension(file: string): FileFormat | null {
  const extension = extname(file).slice(1).toLowerCase();
  if (extension === '') return 'ndjson';
  return fileFormat(formatByExtension(extension) ?? extension);
}

async function realPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const folder = await realpath(dirname(file)).catch(() => dirname(file));
    return join(folder, basename(file));
  }
}

/** The stats of a path; null if it does not exist. */
async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    throw usage(`${path} cannot be read: ${readProblem(error)}`, 'name a path that this user can read');
  }
}

/** Whether an export is running or interrupted. */
async function isInProgress(real: string): Promise<boolean> {
  return (await leftoversOf(real)).length > 0 || (await isLocked(real));
}

async function leftoversOf(real: string): Promise<string[]> {
  const found: string[] = [];
  for (const suffix of partialSuffixes)
    if ((await nodeFileOps.lstat(`${real}${suffix}`).catch(() => null)) !== null)
      found.push(`${real}${suffix}`);
  return found;
}

/** The handle of the channel that the first entry names; null if it names none. For exports without a memory. */
export async function handleIn({ file, format }: FoundExport): Promise<string | null> {
  if (format !== 'ndjson' && format !== 'json') return null;
  try {
    for await (const [first] of readEntries(file, format, undefined, { check: false })) {
      if (first === undefined) continue;
      const handle = parseObject(first.utf8.toString())?.channelHandle;
      return isText(handle) ? handle : null;
    }
  } catch {
    // The check of this export reports the damage.
  }
  return null;
}

/** Maximum number of attempts to check an export that another run is changing. */
const maxAttempts = 3;

/**
 * Checks an export and its memory: every record, IDs and channels, size and digest, leftovers. `expectedAs`: its
 * reference in `--from`; null if it has none. Writes nothing.
 */
export async function checkExport(
  found: FoundExport,
  expectedAs: string | null,
  options: CheckOptions,
): Promise<CheckedExport> {
  for (let attempt = 1; ; attempt++) {
    const before = await snapshot(found);
    const checked = await inspect(found, before, expectedAs, options);
    const isSuspect = checked.problems.some(({ code }) => transientCodes.includes(code));
    if (!isSuspect) return checked;
    if (await isLocked(found.real))
      return {
        ...checked,
        file: found.file,
        problems: checked.problems.filter(({ code }) => !transientCodes.includes(code)),
      };
    const isUnchanged = JSON.stringify(await snapshot(found)) === JSON.stringify(before);
    if (isUnchanged || attempt === maxAttempts) return checked;
  }
}

/** Codes that say nothing while another run writes the export. */
const transientCodes: readonly ProblemCode[] = ['changed', 'no_file', 'absent', 'interrupted'];

/** What a run changes when it ends. */
interface Snapshot {
  readonly memory: Memory | null;
  readonly leftovers: readonly string[];
  readonly mark: readonly number[] | null;
}

async function snapshot({ file, real }: FoundExport): Promise<Snapshot> {
  const { memory } = await memoryOf(real);
  const leftovers = await leftoversOf(real);
  const stats = await statOf(file).catch(() => null);
  return { memory, leftovers, mark: stats === null ? null : [stats.size, stats.mtimeMs, stats.ino] };
}

async function inspect(
  found: FoundExport,
  { memory, leftovers }: Snapshot,
  expectedAs: string | null,
  { now, maxAge }: CheckOptions,
): Promise<CheckedExport> {
  const { file, real, format } = found;
  const id = memory?.id ?? found.id;
  const operation = listingOf(memory, id);
  const facts: ExportFacts = {
    file,
    id,
    operation,
    format,
    fields: memory?.fields ?? null,
    limit: memory?.limited ? memory.entries : null,
  };
  const state = await readState(real, leftovers);
  const content = await read(facts, memory);
  const ids = content?.ids ?? null;
  const cost = listingCost(ids?.entries ?? content?.estimate ?? memory?.entries ?? 0);
  const difference =
    content === null ? null : await differenceOf(facts, memory, state instanceof Failure ? null : state, ids);
  const problems: Problem[] = content === null ? [] : contentProblems(facts, content, cost);
  if (difference !== null) {
    const accepted = difference.isShort ? '' : '; if that is intended, --update accepts it at no cost';
    problems.push({
      code: 'changed',
      message: `${difference.what}${accepted}`,
      fix: restartFix(facts),
      cost: listingCost(memory?.entries ?? 0),
    });
  }
  const isThere = content !== null;
  if (leftovers.length > 0) problems.push(interruption(facts, leftovers, state, memory, isThere));
  // An interrupted update does not bring FILE back.
  const isLost = leftovers.length === 0 || (memory?.finished != null && isUpdate(state));
  if (!isThere && isLost) problems.push(missingFile(facts, memory, expectedAs !== null, cost));
  const isComplete = content !== null && content.damage === null;
  problems.push(...runProblems(facts, memory, maxAge, now, isComplete, cost));
  const isAbsent = problems.some(({ code }) => code === 'absent');
  const checked = memory?.checked ?? null;
  return {
    file: isAbsent ? null : file,
    reference: expectedAs ?? Object.keys(memory?.references ?? {})[0] ?? id,
    id,
    entries: ids?.entries ?? null,
    newest: ids?.first ?? null,
    checked: checked === null ? null : new Date(checked).toISOString(),
    failures: memory?.failures ?? 0,
    credits: memory === null ? 0 : spent(memory.credits),
    missing: memory?.missing ?? null,
    problems,
  };
}

/** The operation that a memory or a state names, or else the ID. */
function listingOf(known: { readonly command: string } | null, id: string | null): PagedOperation | null {
  if (known !== null) return pagedOperations.find(({ name }) => name === known.command) ?? null;
  return id === null ? null : operationOf(id);
}

/** Problems of the records of a file. `cost`: of exporting it again. */
function contentProblems(facts: ExportFacts, { damage, fix, ids }: Content, cost: number): Problem[] {
  const { id, operation } = facts;
  const restart = restartFix(facts);
  const problems: Problem[] = [];
  if (damage !== null)
    problems.push({ code: 'damaged', message: damage, fix: fix ?? restart, cost: fix === null ? cost : 0 });
  if (ids === null) return problems;
  // Other lists may hold a video twice and videos of any channel; so may a file of unknown kind with several channels.
  const isDistinct = operation === null ? ids.channels.size === 1 : operation.distinct;
  if (isDistinct && ids.duplicate !== null)
    problems.push({ code: 'duplicate', message: `${ids.duplicate} occurs twice`, fix: restart, cost });
  const expected = id ?? ids.channelId;
  const others = [...ids.channels].filter((channel) => channel !== expected);
  if (operation?.distinct && others.length > 0)
    problems.push({
      code: 'foreign',
      message: `entries of ${shortNames(others)}, not of ${expected}`,
      fix: restart,
      cost,
    });
  return problems;
}

/** The problem of an export without a file. */
function missingFile(facts: ExportFacts, memory: Memory | null, isExpected: boolean, cost: number): Problem {
  if (memory?.finished != null)
    return {
      code: 'no_file',
      message: `exported on ${day(memory.changed)}, but not there: is its folder mounted?`,
      fix: restartFix(facts),
      cost,
    };
  const fix = resumeFix(facts, false) ?? 'export it again';
  if (isExpected) return { code: 'absent', message: 'expected, but never exported', fix, cost };
  const message = memory === null ? 'remembered, but not there' : 'never exported completely';
  return { code: 'no_file', message, fix, cost };
}

/** Problems of the last runs, as far as the memory knows them. `cost`: of exporting it again. */
function runProblems(
  facts: ExportFacts,
  memory: Memory | null,
  maxAge: number | null,
  now: number,
  isComplete: boolean,
  cost: number,
): Problem[] {
  const { file } = facts;
  const { vanished = null, checked = null, failures = 0 } = memory ?? {};
  const update = updateFix(facts) ?? 'export it with --update';
  const updateCost = facts.operation?.updatable === false ? cost : 0;
  const problems: Problem[] = [];
  if (vanished !== null)
    problems.push({
      code: 'vanished',
      message: `not found (404) since ${day(vanished)}`,
      fix: `if it is gone for good, remove its line from the list, and move ${shellQuote(file)} and ${shellQuote(memoryPath(file))} to another folder`,
      cost: 0,
    });
  if (maxAge !== null && (checked === null || now - Date.parse(checked) > maxAge)) {
    const message =
      checked === null
        ? 'the last successful look is not known'
        : `last successful look ${age(checked, now)}`;
    problems.push({ code: 'stale', message, fix: update, cost: updateCost });
  }
  if (failures >= manyFailures)
    problems.push({
      code: 'failing',
      message: `${failures} consecutive failed runs`,
      fix: isComplete ? update : (resumeFix(facts, false) ?? update),
      cost: isComplete ? updateCost : cost,
    });
  return problems;
}

interface Content {
  readonly ids: FileIds | null;
  /** Why it cannot be read; null if it can. */
  readonly damage: string | null;
  /** A fix without cost. */
  readonly fix: string | null;
  /** About how many entries a damaged file has. */
  readonly estimate: number | null;
}

/** Reads a whole file; null if there is none. */
async function read(
  { file, format, operation }: ExportFacts,
  memory: Memory | null,
): Promise<Content | null> {
  const damage = (message: string, fix: string | null, estimate: number | null = null): Content => ({
    ids: null,
    damage: message,
    fix,
    estimate,
  });
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return damage(`${file} is ${kindOf(stats)}, not a file`, 'move it away');
    await access(file, constants.R_OK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    return damage(`${file} cannot be read: ${readProblem(error)}`, 'check its owner and mode');
  }
  try {
    // An id file does not name its columns.
    const fields =
      format !== 'id' || memory === null
        ? undefined
        : memory.fields === null
          ? null
          : parseFields(memory.fields, (operation ?? operations.uploads).name);
    return { ids: await readIdSet(file, format, fields), damage: null, fix: null, estimate: null };
  } catch (error) {
    const failure: Failure = toFailure(error);
    const estimate = memory?.entries ?? (await countEntries(file, format).catch(() => null));
    return damage(failure.message, null, estimate);
  }
}

/** Estimated number of entries in a damaged file. */
async function countEntries(file: string, format: FileFormat): Promise<number> {
  const mark = Buffer.from(format === 'json' ? '"videoId"' : '\n');
  let entries = 0;
  for await (const bytes of nodeFileOps.readFile(file))
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) entries++;
  return entries;
}

/**
 * How a file differs from the remembered one; null if it does not. If an interrupted run has already replaced FILE,
 * its state describes the file.
 */
async function differenceOf(
  { file }: ExportFacts,
  memory: Memory | null,
  state: State | null,
  ids: FileIds | null,
): Promise<{ what: string; isShort: boolean } | null> {
  const finished = memory?.finished ?? null;
  if (memory === null || finished === null) return null;
  try {
    const { size } = await stat(file);
    const result = state?.progress.result ?? null;
    const accepted = [finished, ...(result === null ? [] : [result])].filter((each) => each.size === size);
    const missing = memory.entries - (ids?.entries ?? 0);
    const isShort = missing > 0;
    const fewer = isShort && ids !== null ? `, ${count(missing, 'entry', 'entries')} fewer` : '';
    if (accepted.length === 0) return { what: `${size} bytes, not ${finished.size}${fewer}`, isShort };
    const digest = await digestOf(file);
    if (accepted.some((each) => each.digest === null || each.digest === digest)) return null;
    return { what: `its content is not as remembered${fewer}`, isShort };
  } catch {
    // An unreadable file is reported as damaged; one that was just removed is found by the next attempt.
    return null;
  }
}

/** The state of an interrupted run, or why it cannot be resumed; null if there is none. */
async function readState(real: string, leftovers: readonly string[]): Promise<State | Failure | null> {
  if (!leftovers.includes(`${real}.part.json`)) return null;
  const target = { path: real, real, mode: null, exists: true, kind: 'file' } as const;
  try {
    const state = await PartialFile.peek(target);
    if (state !== null) await PartialFile.checkRows(target, state);
    return state;
  } catch (error) {
    return toFailure(error);
  }
}

const isUpdate = (state: State | Failure | null): boolean =>
  state !== null && !(state instanceof Failure) && state.header.mode === 'update';

/** The problem of an interrupted run: what it left, and how to resume or clean up. */
function interruption(
  known: ExportFacts,
  leftovers: readonly string[],
  state: State | Failure | null,
  memory: Memory | null,
  isThere: boolean,
): Problem {
  const code = 'interrupted';
  if (state instanceof Failure) {
    const { message, hint } = state;
    if (state.code === 'usage') return { code, message, fix: hint ?? 'remove what is in the way', cost: 0 };
    return { code, message, fix: restartFix(known), cost: listingCost(memory?.entries ?? 0) };
  }
  if (state === null) {
    const names = leftovers.map((path) => basename(path)).join(', ');
    const fix = `rm ${leftovers.map(shellQuote).join(' ')}`;
    return { code, message: `an interrupted run left ${names}, which nothing resumes`, fix, cost: 0 };
  }
  const { header, progress } = state;
  const { identity, mode } = header;
  const { entries, total, done, result, hasMore, cut } = progress;
  const facts: ExportFacts = {
    ...known,
    id: progress.id ?? identity.id ?? known.id,
    operation: listingOf(identity, null),
    format: fileFormat(identity.format) ?? known.format,
    fields: identity.fields,
    // Only --limit cuts a page.
    limit: cut && hasMore ? entries : null,
  };
  const updates = mode === 'update';
  const of = total === null || updates ? '' : ` of ${total}`;
  const what = updates ? 'an update' : 'an export';
  const message = `${what} of ${day(header.started)} was interrupted after ${count(entries, 'entry', 'entries')}${of}`;
  // There is nothing to update.
  if (updates && !isThere)
    return { code, message, fix: restartFix(facts), cost: listingCost(memory?.entries ?? total ?? 0) };
  const fix = resumeFix(facts, updates) ?? 'run the same command again to resume';
  const isPaid = done || result !== null || !hasMore;
  const left = updates || total === null ? 0 : total - entries;
  return {
    code,
    message,
    fix,
    cost: isPaid ? 0 : listingCost(left),
  };
}

const day = (time: string | null): string => time?.slice(0, 10) ?? 'an earlier day';

/** The age of a time (ISO 8601): `5 hours ago`, `3 days ago`. `now`: milliseconds since 1970. */
export function age(time: string, now: number): string {
  const hours = Math.max(0, Math.floor((now - Date.parse(time)) / hour));
  if (hours === 0) return 'less than an hour ago';
  return hours < 48
    ? `${count(hours, 'hour', 'hours')} ago`
    : `${count(Math.floor(hours / 24), 'day', 'days')} ago`;
}
