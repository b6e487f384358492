import { Failure } from '../../src/errors.ts';
import { JsonText } from '../../src/json/json-text.ts';
import { parseFields } from '../../src/output/fields.ts';
import type { FormatOptions, Item, Terminal } from '../../src/output/format.ts';
import { type OperationName, operations } from '../../src/service/contract.ts';

export const json = (text: string): JsonText => JsonText.of(text);

export const elements = (text: string): JsonText[] => [...JsonText.of(text).elements()];

export const item = (reference = '@demo'): Item => ({ reference });

export interface Overrides {
  readonly fields?: string;
  readonly several?: boolean;
  readonly terminal?: Terminal | null;
  readonly columns?: readonly string[];
}

export function options(operation: OperationName, overrides: Overrides = {}): FormatOptions {
  const { fields, several = false, terminal = null, columns = null } = overrides;
  return {
    operation: operations[operation],
    fields: fields === undefined ? null : parseFields(fields, operations[operation]),
    several,
    terminal,
    columns,
  };
}

/** A terminal of that width, without colour. */
export const screen = (columns: number): Terminal => ({ columns, color: false });

export const complete = { hasMore: false, token: null, failure: null } as const;

export const notFound = new Failure('not_found', 'no channel "x" \u202e here', { status: 404 });

/** Text without escape sequences. */
export const visible = (text: string): string => text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');
