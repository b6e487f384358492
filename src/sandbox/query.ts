import { Failure } from '../errors.ts';
import { countCodePoints, isPaged, type Operation } from '../service/contract.ts';
import { parseReference } from '../service/parse-reference.ts';

/** A response other than 200, which never costs credits (docs/service.md, 7, rule 1). */
export class ErrorResponse extends Error {
  readonly status: number;
  /** A text, an object with a message, or a list of issues: deployments use all three. */
  readonly detail: string | object;
  /** Seconds. */
  readonly retryAfter: number | null;

  constructor(status: number, detail: string | object, retryAfter = status === 429 ? 1 : null) {
    super(`${status}`);
    this.status = status;
    this.detail = detail;
    this.retryAfter = retryAfter;
  }
}

const issue = (name: string, msg: string): object => ({ loc: ['query', name], msg });

/** Checks a query against the contract. Throws a 400 for both or neither of two exclusive parameters, otherwise a 422. */
export function assertQuery(operation: Operation, query: URLSearchParams): void {
  const { parameters } = operation;
  const names = parameters.map(({ name }) => name);
  if (isPaged(operation) && names.filter((name) => query.has(name)).length !== 1)
    throw new ErrorResponse(400, `exactly one of ${names.join(' and ')} is required`);
  const issues = parameters.flatMap((parameter) => {
    const problem = parameterProblem(parameter, query.get(parameter.name));
    return problem === null ? [] : [issue(parameter.name, problem)];
  });
  if (issues.length > 0) throw new ErrorResponse(422, issues);
}

/** Returns what is wrong with the value of a parameter; null if it is valid. */
function parameterProblem(parameter: Operation['parameters'][number], value: string | null): string | null {
  const { type, isRequired, minimum = 0, maximum = Number.POSITIVE_INFINITY } = parameter;
  if (value === null) return isRequired ? 'Field required' : null;
  const isInteger = type === 'integer';
  const size = isInteger ? Number(value) : countCodePoints(value);
  const isValid = !isInteger || /^\d{1,9}$/.test(value);
  if (isValid && size >= minimum && size <= maximum) return null;
  return `Expected ${isInteger ? 'an integer' : 'a length in characters'} from ${minimum} to ${maximum}`;
}

/** Returns the reference in a query; throws a 422 for a text that is not a reference. */
export function readReference({ parameters: [{ name }], reference }: Operation, query: URLSearchParams) {
  try {
    return parseReference(query.get(name) ?? '', reference).value;
  } catch (error) {
    throw error instanceof Failure ? new ErrorResponse(422, [issue(name, error.message)]) : error;
  }
}
