import { codePoints, type Operation, type Parameter } from '../service/contract.ts';
import { count } from '../text/count.ts';

/** One bad parameter of a request. */
interface Issue {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

/** The three shapes of `detail` that deployments use. */
export type Detail = string | { readonly code: string; readonly message: string } | readonly Issue[];

/** A response other than 200: never debits (service specification, section 7, rule 1). */
export class Refusal extends Error {
  readonly status: number;
  readonly detail: Detail;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: Detail, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }

  /** 422 for one parameter of the wrong form. */
  static parameter(name: string, msg: string): Refusal {
    return new Refusal(422, [{ loc: ['query', name], msg, type: 'value_error' }]);
  }
}

/**
 * The parameters of a query by name, checked against the contract (service specification, sections 4 and 8).
 * Refuses both or neither of two exclusive parameters with 400, other faults with 422 and the list of all bad
 * parameters. Ignores parameters that the contract does not have.
 */
export function readParameters(operation: Operation, query: URLSearchParams): ReadonlyMap<string, string> {
  const exclusive = operation.parameters.filter(({ when }) => when === 'first page' || when === 'next pages');
  if (exclusive.length > 0 && exclusive.filter(({ name }) => query.has(name)).length !== 1) {
    throw new Refusal(400, `exactly one of ${exclusive.map(({ name }) => name).join(' and ')} is required`);
  }
  const issues = operation.parameters.flatMap((parameter) => check(parameter, query.getAll(parameter.name)));
  if (issues.length > 0) throw new Refusal(422, issues);
  return new Map(query);
}

function check(parameter: Parameter, values: readonly string[]): Issue[] {
  const { name, minimum = 0, maximum = Number.POSITIVE_INFINITY } = parameter;
  const issue = (type: string, msg: string): Issue[] => [{ loc: ['query', name], msg, type }];
  const [value] = values;
  if (value === undefined) {
    return parameter.when === 'required' ? issue('missing', 'Field required') : [];
  }
  if (values.length > 1) return issue('multiple', 'Parameter is given more than once');
  if (parameter.type === 'integer') {
    if (!/^-?\d{1,9}$/.test(value)) return issue('int_parsing', 'Input should be a valid integer');
    if (Number(value) < minimum) {
      return issue('greater_than_equal', `Input should be greater than or equal to ${minimum}`);
    }
    if (Number(value) > maximum) {
      return issue('less_than_equal', `Input should be less than or equal to ${maximum}`);
    }
    return [];
  }
  const length = codePoints(value);
  const characters = (number: number): string => count(number, 'character', 'characters');
  if (length < minimum) {
    return issue('string_too_short', `String should have at least ${characters(minimum)}`);
  }
  if (length > maximum) return issue('string_too_long', `String should have at most ${characters(maximum)}`);
  return [];
}
