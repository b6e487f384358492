import { Failure } from '../errors.ts';
import { codePoints, isPaged, type Operation, type ReferenceKind } from '../service/contract.ts';
import { parseReference } from '../service/parse-reference.ts';
import { type Channel, channelByHandle, channelById } from './videos.ts';

/** A response other than 200: never debits (docs/service.md, 7, rule 1). */
export class ErrorResponse extends Error {
  readonly status: number;
  /** A text, an object with a message, or a list of issues: deployments use all three. */
  readonly detail: string | object;
  readonly headers: Readonly<Record<string, string>>;

  /** `retryAfter`: seconds. */
  constructor(status: number, detail: string | object, retryAfter: number | null = null) {
    super(`${status}`);
    this.status = status;
    this.detail = detail;
    this.headers = retryAfter === null ? {} : { 'retry-after': String(retryAfter) };
  }
}

const issue = (name: string, msg: string): object => ({ loc: ['query', name], msg });

/** The parameters of a query, checked against the contract: 400 for both or neither of two exclusive ones, else 422. */
export function readParameters(
  operation: Operation,
  query: Iterable<[string, string]>,
): ReadonlyMap<string, string> {
  const values = new Map(query);
  const names = operation.parameters.map(({ name }) => name);
  if (isPaged(operation) && names.filter((name) => values.has(name)).length !== 1)
    throw new ErrorResponse(400, `exactly one of ${names.join(' and ')} is required`);
  const issues = operation.parameters.flatMap((parameter) => issuesOf(parameter, values.get(parameter.name)));
  if (issues.length > 0) throw new ErrorResponse(422, issues);
  return values;
}

function issuesOf(
  { name, type, isRequired, minimum = 0, maximum = Infinity }: Operation['parameters'][number],
  value: string | undefined,
): object[] {
  if (value === undefined) return isRequired ? [issue(name, 'Field required')] : [];
  const isInteger = type === 'integer';
  const size = isInteger ? Number(value) : codePoints(value);
  const isValid = !isInteger || /^\d{1,9}$/.test(value);
  if (isValid && size >= minimum && size <= maximum) return [];
  const unit = isInteger ? 'an integer' : 'a length in characters';
  return [issue(name, `Expected ${unit} from ${minimum} to ${maximum}`)];
}

/** The value of a reference; refuses a text of another form with 422. */
export function readReference(text: string, kind: ReferenceKind, parameter: string = kind): string {
  try {
    return parseReference(text, kind).value;
  } catch (error) {
    throw error instanceof Failure ? new ErrorResponse(422, [issue(parameter, error.message)]) : error;
  }
}

export function findChannel(reference: string): Channel {
  const channel = channelById(reference) ?? channelByHandle(reference);
  if (channel === undefined) throw new ErrorResponse(404, 'channel not found');
  return channel;
}
