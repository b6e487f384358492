/** Shorter secrets are not looked for everywhere: they match ordinary words. */
export const minSecretLength = 8;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** One character as addresses, HTML (padded with zeros too) and JSON escape it. */
const escaped =
  /%([\da-f]{2})|&#0*(\d{1,3})(?!\d);?|&#x0*([\da-f]{1,2})(?![\da-f]);?|&(amp|lt|gt|quot|apos);|\\{1,4}u00([\da-f]{2})/iy;

/** Most backslashes before a character: JSON within JSON. */
const maxBackslashes = 4;

/** Positions where a character that starts at `at` may end; none if another one is there. `first`: of the secret. */
type Step = (text: string, at: number, character: string, first: boolean) => number[];

const isSame = (a: string | undefined, b: string): boolean => a === b || a?.toLowerCase() === b.toLowerCase();

const nowhere: number[] = [];

const plainOrEscaped: Step = (text, at, character) => {
  const here = text[at];
  if (here !== '%' && here !== '&' && here !== '\\') return isSame(here, character) ? [at + 1] : nowhere;
  const ends: number[] = [];
  for (let end = at; end - at <= maxBackslashes; end++) {
    if (isSame(text[end], character)) ends.push(end + 1);
    if (text[end] !== '\\') break;
  }
  escaped.lastIndex = at;
  const found = escaped.exec(text);
  if (found !== null) {
    const [all, percent, decimal, hexEntity, name, json] = found;
    const hex = percent ?? hexEntity ?? json;
    const decoded =
      name !== undefined
        ? entities[name.toLowerCase()]
        : String.fromCharCode(hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal));
    if (isSame(decoded, character)) ends.push(at + all.length);
  }
  return ends;
};

/** Both alphabets of base64. */
const base64: Step = (text, at, character, first) => {
  const other = character === '+' ? '-' : character === '/' ? '_' : null;
  const ends = plainOrEscaped(text, at, character, first);
  return other !== null && text[at] === other ? [...ends, at + 1] : ends;
};

const hexByte = /([ :,-]{0,2})(?:0x|\\{1,4}x)?([\da-f]{2})/iy;

/** A byte in hexadecimal, as dumps and string literals write it. */
const hexadecimal: Step = (text, at, character, first) => {
  hexByte.lastIndex = at;
  const [all = '', separator = '', digits = ''] = hexByte.exec(text) ?? [];
  const isByte = Number.parseInt(digits, 16) === character.charCodeAt(0) && !(first && separator !== '');
  return isByte ? [at + all.length] : [];
};

/** One encoding of a secret. */
interface Form {
  readonly characters: string;
  readonly step: Step;
  /** An expression for its first character and what can follow it, which skips most of a text. */
  readonly start: string;
  /** A character before or after it that may hold bits of the secret. */
  readonly before?: RegExp;
  readonly after?: RegExp;
}

const base64Character = '(?:[A-Za-z0-9+/_-]|%2[bf]|\\\\/)';
const base64Before = new RegExp(`${base64Character}$`, 'i');
const base64Padding = /(?:=|%3d)*/iy;
const base64After = new RegExp(`${base64Character}?(?:=|%3d)*`, 'iy');

const startOf = (characters: string, others = ''): string => {
  const [first = '', second = ''] = [...characters].map((c) => c.replace(/[^A-Za-z0-9]/, '\\$&'));
  const next = second === '' ? '' : `(?=[${second}${others}%&\\\\])`;
  return `[${first}${others}]${next}`;
};

/** The base64 of a secret that starts `before` bytes (0 to 2) into a group of three, without shared characters. */
function base64Form(secret: string, before: number): Form {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const bits = bytes.length * 8;
  const characters = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  return {
    characters,
    step: base64,
    start: startOf(characters, '_\\-'),
    ...(before > 0 && { before: base64Before }),
    after: bits % 6 === 0 ? base64Padding : base64After,
  };
}

function formsOf(secret: string): readonly Form[] {
  const plain = { characters: secret, step: plainOrEscaped, start: startOf(secret) };
  if (secret.length < minSecretLength) return [plain];
  const encoded = [0, 1, 2].map((before) => base64Form(secret, before));
  const hex = `0(?=x)|${startOf(secret.charCodeAt(0).toString(16))}`;
  return [plain, ...encoded, { characters: secret, step: hexadecimal, start: hex }];
}

/** The end of a form of the secret that starts at `at`; -1 if none does. */
function endOf(text: string, at: number, { characters, step }: Form): number {
  let places = [at];
  for (let i = 0; i < characters.length && places.length > 0; i++) {
    const ends = places.map((place) => step(text, place, characters[i] ?? '', i === 0));
    places = ends.length === 1 ? (ends[0] ?? []) : [...new Set(ends.flat())];
  }
  return places.length === 0 ? -1 : Math.max(...places);
}

/** The forms of a secret, and an expression for the positions where one may start. */
interface Redaction {
  readonly forms: readonly Form[];
  readonly start: RegExp;
}

const redactions = new Map<string, Redaction>();

function redactionOf(secret: string): Redaction {
  const forms = formsOf(secret);
  const start = new RegExp([...forms.map((form) => form.start), '[%&\\\\]'].join('|'), 'gi');
  const redaction = { forms, start };
  redactions.set(secret, redaction);
  return redaction;
}

/**
 * Replaces a secret in a text by `[key]`: plain, escaped in a URL, JSON or HTML, and (8 characters or more) in base64
 * and hexadecimal. Case is ignored.
 */
export function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text;
  const { forms, start } = redactions.get(secret) ?? redactionOf(secret);
  let out = '';
  let copied = 0;
  start.lastIndex = 0;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const at = found.index;
    start.lastIndex = at + 1;
    for (const form of forms) {
      const end = endOf(text, at, form);
      if (end === -1) continue;
      const kept = text.slice(copied, at);
      out += `${form.before === undefined ? kept : kept.replace(form.before, '')}[key]`;
      copied = end;
      if (form.after !== undefined) {
        form.after.lastIndex = end;
        copied += form.after.exec(text)?.[0].length ?? 0;
      }
      start.lastIndex = copied;
      break;
    }
  }
  return copied === 0 ? text : out + text.slice(copied);
}
