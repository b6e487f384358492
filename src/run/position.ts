/** How far a listing has come: all that is needed to go on later. */
export interface Position {
  /** Token of the first page not wholly written; null: the first page. */
  readonly token: string | null;
  readonly hasMore: boolean;
  /** Entries and pages written. */
  readonly entries: number;
  readonly pages: number;
  /** Nothing more is wanted. */
  readonly done: boolean;
  /** numVideos, once a page has told it. */
  readonly total: number | null;
}

/** Before the first page. */
export const nothingYet: Position = {
  token: null,
  hasMore: true,
  entries: 0,
  pages: 0,
  done: false,
  total: null,
};
