/** Turns what a terminal shows, with its colours, into SVG. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// The program's own measure: a character takes as many columns in the picture as in its tables.
const width = await build({
  entryPoints: [fileURLToPath(new URL('../src/output/width.ts', import.meta.url))],
  bundle: true,
  format: 'esm',
  write: false,
});
const { textWidth } = await import(
  `data:text/javascript;base64,${Buffer.from(width.outputFiles[0].contents).toString('base64')}`
);

const cell = { width: 8.4, height: 19 };
const margin = 16;
const colors = ['#45475a', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d4d7dd'];

/** `screen`: lines of text with SGR sequences. Returns an SVG document. */
export function drawing(screen, { columns, title }) {
  const lines = screen.split('\n');
  const wide = Math.ceil(columns * cell.width + 2 * margin);
  const high = lines.length * cell.height + 2 * margin;
  const style = { bold: false, dim: false, color: null };
  const rows = lines.map((line, row) => drawLine(line, margin + (row + 1) * cell.height - 5, style));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}" role="img">`,
    `<title>${xml(title)}</title>`,
    '<style>text { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d4d7dd; white-space: pre; }',
    '.b { font-weight: bold; } .d { opacity: 0.5; }</style>',
    `<rect width="${wide}" height="${high}" rx="8" fill="#1e2127"/>`,
    ...rows.flat(),
    '</svg>',
    '',
  ].join('\n');
}

const script = '[\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Thai}\\p{Script=Devanagari}]';
const phrase = `(?:${script}\\p{M}*)+(?:[ |]+(?:${script}\\p{M}*)+)*`;
const together = new RegExp(`^(?:[!-~]+|─+|${phrase})$`, 'u');
const pieces = new RegExp(`[!-~]+|─+|${phrase}| +|(?:(?!${script})[^ -~─])+`, 'gu');

/** The words of a line, each put at its column; `style` carries over from line to line. */
function drawLine(line, y, style) {
  const out = [];
  let column = 0;
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith('\u001b')) {
      restyle(style, part.slice(2, -1).split(';').map(Number));
      continue;
    }
    for (const run of runs(part)) {
      if (run.text.trim() !== '') out.push(drawRun(run, margin + column * cell.width, y, style));
      column += run.columns;
    }
  }
  return out;
}

/**
 * Pieces of a text that are placed together: words of plain letters, phrases of a script that joins its letters or
 * turns their order; all other characters one by one.
 */
function runs(text) {
  const found = [];
  for (const piece of text.match(pieces) ?? []) {
    const single = !together.test(piece);
    const texts = single
      ? Array.from(new Intl.Segmenter().segment(piece), ({ segment }) => segment)
      : [piece];
    for (const each of texts) found.push({ text: each, columns: textWidth(each), single });
  }
  return found;
}

function drawRun({ text, columns, single }, x, y, { bold, dim, color }) {
  const classes = [bold ? 'b' : '', dim ? 'd' : ''].filter((name) => name !== '').join(' ');
  // A font that is a little wider or narrower still fits the grid.
  const fit = single ? '' : ` textLength="${number(columns * cell.width)}" lengthAdjust="spacingAndGlyphs"`;
  const look =
    (classes === '' ? '' : ` class="${classes}"`) + (color === null ? '' : ` style="fill:${color}"`);
  return `<text x="${number(x)}" y="${y}"${fit}${look}>${xml(text)}</text>`;
}

/** Applies the numbers of one SGR sequence. */
function restyle(style, codes) {
  for (const code of codes) {
    if (code === 0) Object.assign(style, { bold: false, dim: false, color: null });
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 22) Object.assign(style, { bold: false, dim: false });
    else if (code === 39) style.color = null;
    else if (code >= 30 && code <= 37) style.color = colors[code - 30];
    else if (code >= 90 && code <= 97) style.color = colors[code - 90];
  }
}

const number = (value) => String(Math.round(value * 10) / 10);
const xml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
