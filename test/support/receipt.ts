import { readFile, rm } from 'node:fs/promises';

/** The fields of `--summary`, as the contract names them. */
export interface Credits {
  readonly confirmed: number;
  readonly possibly_charged: number;
}

export interface ReceiptError {
  readonly code: string;
  readonly status: number | null;
  readonly message: string;
}

export interface ReferenceReceipt {
  readonly reference: string | null;
  readonly id: string | null;
  readonly file: string | null;
  readonly status: 'complete' | 'limited' | 'unchanged' | 'unchecked' | 'kept' | 'interrupted' | 'failed';
  readonly entries: number;
  readonly new: number | null;
  readonly missing: number | null;
  readonly pages: number;
  readonly credits: Credits;
  /** Entries that an earlier, interrupted run had; else 0. */
  readonly resumed: number;
  readonly why: string | null;
  readonly continuation_token: string | null;
  readonly error: ReceiptError | null;
  /** Null unless it failed or was interrupted. */
  readonly exit: number | null;
}

export interface Receipt {
  readonly command: string;
  readonly started: string;
  readonly seconds: number;
  /** Null if the run was killed: the report is that of its start. */
  readonly exit: number | null;
  /** What ended the run. */
  readonly error: ReceiptError | null;
  readonly credits: Credits;
  readonly requests: number;
  readonly retries: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly references: readonly ReferenceReceipt[];
}

/** Reads the receipt of a run and removes it; null if there is none. */
export async function takeReceipt(path: string): Promise<Receipt | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Receipt;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}
