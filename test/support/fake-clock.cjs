/**
 * Loaded before the program (`node --require`): its wall clock shows the time that CHANLIST_TEST_NOW gives (ISO 8601)
 * and runs on from there. Timers and durations stay real.
 */
const now = Date.now.bind(Date);
const offset = Date.parse(process.env.CHANLIST_TEST_NOW) - now();
if (Number.isNaN(offset)) throw new Error('CHANLIST_TEST_NOW is not a date');

globalThis.Date = new Proxy(Date, {
  apply: () => new Date().toString(),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + offset] : args, newTarget),
  get: (target, name) => (name === 'now' ? () => now() + offset : Reflect.get(target, name)),
});
