/** Tests of parsed JSON, for the files that the program reads back. */
type Test = (value: unknown) => boolean;

export type Members = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isText = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
export const isDate = (value: unknown): boolean => isText(value) && !Number.isNaN(Date.parse(value));

export const isOneOf =
  (...values: readonly unknown[]): Test =>
  (value) =>
    values.includes(value);
export const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);
export const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
export const mapOf =
  (test: Test): Test =>
  (value) =>
    isObject(value) && Object.values(value).every(test);

/** Whether a value is an object with these members; further ones are ignored. */
export function shape<T>(members: Readonly<Record<keyof T, Test>>): (value: unknown) => value is T & Members {
  const tests = Object.entries<Test>(members);
  return (value): value is T & Members => isObject(value) && tests.every(([name, test]) => test(value[name]));
}

/** The object in a JSON text; null if it is not JSON, or another value. */
export function parseObject(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
