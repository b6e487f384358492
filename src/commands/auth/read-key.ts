import { largestKeyInput, parseKey } from '../../accounts/key.ts';
import type { Context } from '../../context.ts';
import { Failure, systemCode, usage } from '../../errors.ts';
import { readStream, TooLarge } from '../../fs/read-input.ts';

/** The key that stdin, read to its end, holds. Usage errors for anything else; the reason where told to stop. */
export async function readKeyFromStdin({ stdin, stop }: Context): Promise<string> {
  try {
    const bytes = await readStream(stdin, largestKeyInput, stop);
    return parseKey(bytes.toString('utf8'), 'stdin');
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof TooLarge) throw usage('stdin: what it holds is too large for a key');
    throw usage(`stdin: the key cannot be read (${systemCode(error) ?? 'unknown error'})`);
  }
}
