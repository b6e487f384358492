import type { SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { NamedFile } from '../fs/apart.ts';
import type { Text } from '../output/format.ts';
import type { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';

/** Where a listing is written: stdout, or a stream that `-o` names. */
export interface OutputStream {
  write(text: Text): Promise<void>;
  /** Writes the text of a page; notices a closed pipe before the next page is bought. */
  writePage(text: Text): Promise<void>;
}

/** stdout, or the device or pipe that `-o` names. */
export async function openOutput(
  path: string | null,
  context: Context,
  { stderr }: { readonly stderr: Stderr },
): Promise<OutputStream> {
  if (path === null) return new Stdout(context, stderr);
  const { openStream } = await import('../fs/output-stream.ts');
  return new Stdout(context, stderr, await openStream(path, context.stop));
}

/** The files that the flags of a command name. */
export function filesOf({
  shared,
  from = null,
  seen = null,
}: {
  readonly shared: SharedOptions;
  readonly from?: string | null;
  readonly seen?: string | null;
}): NamedFile[] {
  const named: readonly (readonly [
    flag: string,
    path: string | null | undefined,
    kind: NamedFile['kind'],
  ])[] = [
    ['--output', shared.output, 'output'],
    ['--seen', seen, 'output'],
    ['--from', from, 'input'],
    ['--key-file', shared.keyFile, 'input'],
  ];
  return named.flatMap(([flag, path, kind]) => (path == null ? [] : [{ flag, path, kind }]));
}
