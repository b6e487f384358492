import type { PagedOperation } from '../api/pages.ts';
import type { ReferenceKind } from '../api/references.ts';
import type { ListingOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { DryRunRequest } from './dry-run.ts';
import type { CallPlan } from './session.ts';

/** What one listing starts from: a reference, or the token of a page. */
export interface ListStart {
  /** As typed; null with `--continuation`. */
  readonly given: string | null;
  /** What is sent. */
  readonly value: string | null;
  readonly id: string | null;
  readonly token: string | null;
}

/** All that a listing command was asked for, read and checked. */
export interface Listing {
  readonly operation: PagedOperation;
  readonly kind: ReferenceKind;
  readonly options: ListingOptions;
  readonly starts: readonly ListStart[];
  readonly several: boolean;
  readonly context: Context;
}

/** A listing whose output has been checked, ready to go. */
export type Prepared = Pick<CallPlan, 'requests' | 'work'>;

/** The request that a listing starts with. */
export function firstRequest(
  operation: PagedOperation,
  start: Pick<ListStart, 'value' | 'token'>,
): DryRunRequest {
  const [first] = operation.parameters;
  const parameters =
    start.token === null ? { [first.name]: start.value ?? '' } : { continuation: start.token };
  return { operation, parameters };
}
