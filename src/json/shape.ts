/** Type guards for the JSON files that the program has written. */
type Test<T = unknown> = (value: unknown) => value is T;

export type Infer<G> = G extends Test<infer T> ? T : never;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isString = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
export const isDate = (value: unknown): value is string =>
  isString(value) && !Number.isNaN(Date.parse(value));

export const isOneOf =
  <const T>(...values: readonly T[]): Test<T> =>
  (value): value is T =>
    (values as readonly unknown[]).includes(value);
export const orNull =
  <T>(test: Test<T>): Test<T | null> =>
  (value): value is T | null =>
    value === null || test(value);
export const listOf =
  <T>(test: Test<T>): Test<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(test);
export const mapOf =
  <T>(test: Test<T>): Test<Readonly<Record<string, T>>> =>
  (value): value is Readonly<Record<string, T>> =>
    isObject(value) && Object.values(value).every(test);

/** Whether a value is an object with these members; other members are ignored. */
export function objectOf<M extends Readonly<Record<string, Test>>>(
  members: M,
): Test<{ readonly [Name in keyof M]: Infer<M[Name]> }> {
  const tests = Object.entries<Test>(members);
  return (value): value is { readonly [Name in keyof M]: Infer<M[Name]> } =>
    isObject(value) && tests.every(([name, test]) => test(value[name]));
}

/** Returns the object in a JSON text; null if the text is not JSON, or its value is not an object. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
