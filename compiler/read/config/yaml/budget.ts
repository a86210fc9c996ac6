/** How much a configuration may hold, its files together. */
import { utf8Length } from '../../bytes.js';

const maxTextSize = 16 * 1024 * 1024;
const maxValues = 1_000_000;

export class Budget {
  #text = 0;
  #nodes = 0;

  constructor(
    private readonly textSize: number = maxTextSize,
    private readonly values: number = maxValues,
  ) {}

  /** The limit of texts, in words. */
  readonly textLimit = '16 MiB';

  /** The limit of values, in words. */
  get valueLimit(): string {
    return `${this.values} values, aliases counted where they are used`;
  }

  /** Adds a text; false where it is too much. */
  takeText(text: string): boolean {
    this.#text += utf8Length(text);
    return this.#text <= this.textSize;
  }

  hasRoomFor(nodes: number): boolean {
    return this.#nodes + nodes <= this.values;
  }

  /** Adds nodes of YAML; false where they are too many. */
  takeNodes(count: number): boolean {
    this.#nodes += count;
    return this.#nodes <= this.values;
  }
}
