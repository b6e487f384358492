import { resolveBounds } from '../accounts/bounds.ts';
import type { operations } from '../api/contract.ts';
import { checkParameters } from '../api/parameters.ts';
import type { Reference } from '../api/references.ts';
import type { AnswerOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { prepareBodies } from './answers.ts';
import { readReferences } from './read-references.ts';
import { runCall } from './session.ts';

/** Calls a free operation for each channel and prints the answers; returns the exit code. */
export async function runChannels(
  operation: typeof operations.resolve | typeof operations.latest,
  options: AnswerOptions,
  context: Context,
): Promise<number> {
  const { shared, concurrency } = options;
  const [{ name }] = operation.parameters;
  const parameters = ({ value }: Reference) => ({ [name]: value });
  const check = (reference: Reference): void => checkParameters(operation, parameters(reference));
  return await runCall(operation.name, shared, context, async () => {
    const references = await readReferences(options.references, options.from, 'channel', context, check);
    const plan = { operation, parameters, references, shared, concurrency };
    return await prepareBodies(plan, resolveBounds(shared.maxCredits, context.env, []), context);
  });
}
