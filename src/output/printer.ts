import type { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Format } from './format.ts';
import type { Item } from './item.ts';

/** Writes whole answers in a format; its head goes before the first of them, so that nothing is written for nothing. */
export class Printer {
  readonly #format: Format;
  readonly #write: (text: string) => Promise<void>;
  #begun = false;

  constructor(format: Format, write: (text: string) => Promise<void>) {
    this.#format = format;
    this.#write = write;
  }

  async body(item: Item, body: JsonText): Promise<void> {
    await this.#write(this.head() + this.#format.body(item, body));
  }

  async failed(item: Item, failure: Failure): Promise<void> {
    const text = this.#format.failed(item, failure);
    if (text !== '') await this.#write(this.head() + text);
  }

  /** The format's head, the first time; then nothing. */
  head(): string {
    if (this.#begun) return '';
    this.#begun = true;
    return this.#format.head();
  }

  /** Completes the document, if one was begun. */
  async end(): Promise<void> {
    if (this.#begun) await this.#write(this.#format.tail());
  }
}
