import assert from 'node:assert/strict';

/** Sorts the lines of stderr, without their beginning; throws if one does not begin as all must. `notes`: the tally, too. */
export function linesOfStderr(stderr: string) {
  const lines = stderr.split('\n').filter((line) => line !== '');
  const after = (start: string): string[] =>
    lines.flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []));
  const all = after('chanlist: ');
  assert.equal(all.length, lines.length, stderr);
  return {
    errors: after('chanlist: error: '),
    warnings: after('chanlist: warning: '),
    notes: all.filter((line) => !/^(?:error|warning): /.test(line)),
  };
}

/** The only line, which is an error; it names all of these. */
export function onlyError({ stderr }: { readonly stderr: string }, ...named: (string | RegExp)[]): string {
  const { errors, warnings } = linesOfStderr(stderr);
  assert.deepEqual([errors.length, warnings.length], [1, 0], stderr);
  return naming(errors[0] ?? '', named);
}

/** The only line, which is a warning; it names all of these. */
export function onlyWarning({ stderr }: { readonly stderr: string }, ...named: (string | RegExp)[]): string {
  const { errors, warnings } = linesOfStderr(stderr);
  assert.deepEqual([errors.length, warnings.length], [0, 1], stderr);
  return naming(warnings[0] ?? '', named);
}

function naming(line: string, named: readonly (string | RegExp)[]): string {
  for (const name of named)
    assert.ok(
      typeof name === 'string' ? line.includes(name) : name.test(line),
      `it does not name ${name}: ${line}`,
    );
  return line;
}
