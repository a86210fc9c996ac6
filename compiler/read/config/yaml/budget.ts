/** Limits the total size of a configuration, including its included files. */
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

  /** The text limit for messages. */
  readonly textLimit = '16 MiB';

  /** The limit for values, for messages. */
  get valueLimit(): string {
    return `${this.values} values, aliases counted where they are used`;
  }

  /** Adds a text; false if the limit is exceeded. */
  takeText(text: string): boolean {
    this.#text += utf8Length(text);
    return this.#text <= this.textSize;
  }

  hasRoomFor(nodes: number): boolean {
    return this.#nodes + nodes <= this.values;
  }

  /** Adds YAML nodes; false if the limit is exceeded. */
  takeNodes(count: number): boolean {
    this.#nodes += count;
    return this.#nodes <= this.values;
  }
}
