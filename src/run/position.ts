/** How far a listing is: all that is needed to resume it. */
export interface Position {
  /** Token of the first page that is not fully written; null: the first page. */
  readonly token: string | null;
  readonly hasMore: boolean;
  /** Entries and pages written. */
  readonly entries: number;
  readonly pages: number;
  /** Nothing more is wanted. */
  readonly done: boolean;
  /** numVideos, once known. */
  readonly total: number | null;
}

/** Before the first page. */
export const startPosition: Position = {
  token: null,
  hasMore: true,
  entries: 0,
  pages: 0,
  done: false,
  total: null,
};
