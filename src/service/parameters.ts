import { usage } from '../errors.ts';
import { codePoints, type Operation, type Parameter } from './contract.ts';

/** Parameters of one request by name. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

/**
 * Checks the parameters of a request against its row of the contract (service specification, section 4); throws a
 * usage error that names the parameter and its limits.
 */
export function checkParameters(operation: Operation, given: Parameters): void {
  for (const name of Object.keys(given)) {
    if (!operation.parameters.some((parameter) => parameter.name === name)) {
      throw new Error(`${operation.name} has no parameter ${name}`);
    }
  }
  for (const parameter of operation.parameters) checkParameter(parameter, given[parameter.name]);
  const exclusive = operation.parameters.filter(({ when }) => when === 'first page' || when === 'next pages');
  if (exclusive.length > 0 && exclusive.filter(({ name }) => given[name] !== undefined).length !== 1) {
    throw usage(`exactly one of ${exclusive.map(({ name }) => name).join(' and ')} is needed`);
  }
}

/** Checks one value against its row of the contract. */
function checkParameter(parameter: Parameter, value: string | number | undefined): void {
  const { name, minimum = 0, maximum = Number.POSITIVE_INFINITY } = parameter;
  if (value === undefined) {
    if (parameter.when === 'required') throw usage(`${name} is missing`);
    return;
  }
  if (parameter.type === 'integer') {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < minimum || value > maximum) {
      throw usage(`${name} is ${value}: expected a whole number from ${minimum} to ${maximum}`);
    }
    return;
  }
  const length = codePoints(String(value));
  if (length < minimum || length > maximum) {
    throw usage(`${name} has ${length} characters: expected ${minimum} to ${maximum}`);
  }
}
