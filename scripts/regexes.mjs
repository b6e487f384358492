import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import jsTokens from 'js-tokens';
import { analyse } from 'scslre';

/**
 * Finds the regular expressions in a folder whose time grows faster than their input: nested quantifiers, overlapping
 * alternatives, and repetitions that are tried again at every position of the input.
 */
export function slowRegexes(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'));
  return names.flatMap((name) => {
    const path = join(folder, name);
    let line = 1;
    return [...jsTokens(readFileSync(path, 'utf8'))].flatMap(({ type, value }) => {
      const at = line;
      line += value.split('\n').length - 1;
      return type === 'RegularExpressionLiteral'
        ? problemsOf(value).map((what) => `${path}:${at}: ${what}`)
        : [];
    });
  });
}

function problemsOf(literal) {
  const end = literal.lastIndexOf('/');
  const parts = { source: literal.slice(1, end), flags: literal.slice(end + 1) };
  const { reports } = analyse(parts, { reportTypes: { Move: true } });
  return reports.map(({ exponential, character: { literal: repeated } }) => {
    const time = exponential ? 'exponential' : 'quadratic';
    return `${literal} takes ${time} time for repeated ${repeated.source}`;
  });
}
