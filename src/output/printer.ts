import type { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { type Format, type Item, joined, type Text } from './format.ts';

/** Writes whole answers in a format; the head goes before the first of them, so that a call without answers writes nothing. */
export class Printer {
  readonly #format: Format;
  readonly #write: (text: Text) => Promise<void>;
  #started = false;

  constructor(format: Format, write: (text: Text) => Promise<void>) {
    this.#format = format;
    this.#write = write;
  }

  async body(item: Item, body: JsonText): Promise<void> {
    await this.#write(joined(this.head(), this.#format.body(item, body)));
  }

  async failed(item: Item, failure: Failure): Promise<void> {
    await this.#write(this.head() + this.#format.failed(item, failure));
  }

  /** The format's head, the first time; then nothing. */
  head(): string {
    if (this.#started) return '';
    this.#started = true;
    return this.#format.head();
  }

  /** Completes the document, if it was started. */
  async end(): Promise<void> {
    if (this.#started) await this.#write(this.#format.tail());
  }
}
