import { codePoints, type Operation, type Parameter } from '../api/contract.ts';
import { count } from '../text/count.ts';
import { type Detail, Refusal } from './refusal.ts';

type Issue = Exclude<Detail, string | { code: string; message: string }>[number];

/**
 * The parameters of a query by name, held against the contract (service specification, sections 4 and 8).
 * Refuses both or neither of two exclusive parameters with 400, everything else with 422 and the list of all
 * bad parameters. Parameters that the contract does not have are ignored.
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
