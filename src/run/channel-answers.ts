import type { operations } from '../api/contract.ts';
import { checkParameters } from '../api/parameters.ts';
import type { Reference } from '../api/references.ts';
import type { AnswerOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { planAnswers } from './answers.ts';
import { readReferences } from './read-references.ts';
import { filesOf } from './run-listing.ts';
import { runSession } from './session.ts';

/** Calls a free operation for each channel and prints the answers; returns the exit code. */
export async function runChannels(
  operation: typeof operations.resolve | typeof operations.latest,
  options: AnswerOptions,
  context: Context,
): Promise<number> {
  const { shared, concurrency, limit, seen, from } = options;
  const [{ name }] = operation.parameters;
  const parameters = ({ value }: Reference) => ({ [name]: value });
  const check = (reference: Reference): void => checkParameters(operation, parameters(reference));
  return await runSession(
    operation.name,
    { shared, files: filesOf({ shared, from, seen }) },
    context,
    async () => {
      const references = await readReferences(options.references, from, operation.reference, context, check);
      return await planAnswers({
        operation,
        parameters,
        references,
        shared,
        concurrency,
        limit,
        seen,
        context,
      });
    },
  );
}
