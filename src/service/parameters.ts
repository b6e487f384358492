import { usage } from '../errors.ts';
import { thousands } from '../text/count.ts';
import { codePoints, type Operation } from './contract.ts';

export type Parameters = Readonly<Record<string, string | number | undefined>>;

/**
 * Checks the parameters of a request against its row of the contract (docs/service.md, 8); throws a usage
 * error that names the argument and its limits.
 */
export function assertParameters(operation: Operation, values: Parameters): void {
  for (const { name, argument, type, minimum = 0, maximum = Infinity } of operation.parameters) {
    const value = values[name];
    if (value === undefined) continue;
    const isNumber = type === 'integer';
    const size = isNumber ? Number(value) : codePoints(String(value));
    if ((isNumber && !Number.isInteger(value)) || size < minimum || size > maximum) {
      const is = isNumber
        ? `is ${value}: expected a whole number from`
        : `has ${thousands(size)} characters: expected`;
      throw usage(`${argument} ${is} ${minimum} to ${maximum}`);
    }
  }
}
