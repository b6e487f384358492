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

/** Throws unless stderr is one line of this kind that names all of these; returns the line. */
const only =
  (kind: 'errors' | 'warnings') =>
  ({ stderr }: { readonly stderr: string }, ...named: (string | RegExp)[]): string => {
    const { errors, warnings, [kind]: lines } = linesOfStderr(stderr);
    assert.deepEqual([errors.length + warnings.length, lines.length], [1, 1], stderr);
    const [line = ''] = lines;
    for (const name of named) {
      const isNamed = typeof name === 'string' ? line.includes(name) : name.test(line);
      assert.ok(isNamed, `it does not name ${name}: ${line}`);
    }
    return line;
  };

export const onlyError = only('errors');
export const onlyWarning = only('warnings');
