/** What a json document has around its entries, and where the entries of a response are. */
import type { Failure } from '../errors.ts';
import { type JsonText, quoteJson } from '../json/json-text.ts';
import type { EntryShape } from './format.ts';

export interface Frame {
  readonly before: string;
  readonly after: string;
}

export const arrayFrame: Frame = { before: '[', after: ']' };

/** The frame of a document that consists of its only entry. */
export const noFrame: Frame = { before: '', after: '' };

/** Returns the start of the document of a listing. `info` is playlist_info of the first page; null if no page arrived. */
export const listingStart = (info: JsonText | null): string => `{"playlist_info":${info},"results":[`;

/**
 * Returns the end of the document of a listing. `hasMore` is false only if the service said that there is nothing more. `token`
 * requests the first page that is not fully printed; it is null if that is the first page of the list, or if all is printed.
 */
export function listingEnd(hasMore: boolean, token: string | null, failure: Failure | null): string {
  const end = { continuation_token: token, has_more: hasMore, ...(failure && { error: failure }) };
  const withoutBrace = quoteJson(end).slice(1);
  return `],${withoutBrace}`;
}

interface ResponseParts extends Frame {
  readonly entries: readonly JsonText[];
  /** Whether the body has a list of entries; otherwise the body is the only entry. */
  readonly isList: boolean;
}

/**
 * Finds the entries of a whole response. A resolve result is one entry (docs/service.md, 2.1). If the shape is unspecified, the
 * entries are those of the body if it is an array, else of `results`, else of its only array; else the body is the only entry.
 */
export function readResponse(body: JsonText, kind: EntryShape['body'] = 'list'): ResponseParts {
  const asOneEntry = { ...noFrame, entries: [body], isList: false };
  if (kind === 'object') return asOneEntry;
  if (body.kind === 'array') return { ...arrayFrame, entries: body.elements(), isList: true };
  const arrays = [...new Map(body.members())].filter(([, value]) => value.kind === 'array');
  const list = arrays.find(([key]) => key === 'results') ?? (arrays.length === 1 ? arrays[0] : undefined);
  if (list === undefined) return asOneEntry;
  const [listKey, value] = list;
  const members = [...body.members()];
  const at = members.findLastIndex(([key]) => key === listKey);
  const texts = members.map(([key, value]) => `${quoteJson(key)}:${value}`);
  const before = [...texts.slice(0, at), `${quoteJson(listKey)}:[`].join(',');
  const after = [']', ...texts.slice(at + 1)].join(',');
  return { before: `{${before}`, after: `${after}}`, entries: value.elements(), isList: true };
}
