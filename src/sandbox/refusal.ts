/** The three shapes of `detail` that deployments use: a text, an object with a message, a list of bad parameters. */
export type Detail =
  | string
  | { readonly code: string; readonly message: string }
  | readonly { readonly loc: readonly string[]; readonly msg: string; readonly type: string }[];

/** An answer that is no 200: never debits (service specification, section 7, rule 1). */
export class Refusal extends Error {
  readonly status: number;
  readonly detail: Detail;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: Detail, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }

  /** 422 for one parameter whose form is wrong. */
  static parameter(name: string, msg: string): Refusal {
    return new Refusal(422, [{ loc: ['query', name], msg, type: 'value_error' }]);
  }
}
