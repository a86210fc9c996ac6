/** Parses JSON to nodes with spans, many times faster than the YAML parser. */
import type { Source } from '../../source.js';
import { LaterMap } from './later-map.js';
import type { Entry, MapNode, Node, ScalarNode } from './node.js';
import { scalarText } from './scalar-span.js';

const maxNesting = 256;

/**
 * The tree of a JSON text. Undefined if the text is not JSON, is nested too deep or repeats a key: the YAML reader reports these problems.
 */
export function readJson(source: Source): Node | undefined {
  if (!isJson(source)) return undefined;
  const reader = new JsonReader(source);
  const node = reader.value(0);
  return reader.isGood ? node : undefined;
}

/** The same tree, but maps on its outer levels are parsed only when their entries are accessed. Of repeated keys, one is kept. */
export function readJsonLater(source: Source): Node | undefined {
  return isJson(source) ? new JsonReader(source, 0, levelsOfLater).value(0) : undefined;
}

function isJson({ text }: Source): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const levelsOfLater = 5;

const space = /[ \t\r\n]*/y;
const word = /[-+.\w]+/y;
const structure = /[{}"]/g;

/** Reads text that is known to be valid JSON, in one pass. */
class JsonReader {
  isGood = true;
  #at: number;
  readonly #text: string;

  constructor(
    private readonly source: Source,
    start = 0,
    /** Maps above this depth are parsed lazily. */
    private readonly later = 0,
  ) {
    this.#text = source.text;
    this.#at = start;
  }

  value(depth: number): Node {
    this.#skipSpace();
    if (depth > maxNesting) this.isGood = false;
    const character = this.#text[this.#at];
    if (!this.isGood || character === '"') return this.#string();
    if (character === '{') return depth < this.later ? this.#laterMap(depth) : this.#map(depth);
    if (character === '[') return this.#list(depth);
    return this.#word();
  }

  #map(depth: number): MapNode {
    const start = this.#at;
    const entries: Entry[] = [];
    const keys = new Set<string>();
    this.#open();
    while (this.isGood && this.#text[this.#at] !== '}') {
      const key = this.#string();
      this.#skipSpace();
      // Skip the colon.
      this.#at += 1;
      entries.push({ key, value: this.value(depth + 1) });
      this.#close();
      keys.add(key.text.value);
    }
    this.#at += 1;
    if (keys.size < entries.length) this.isGood = false;
    return { kind: 'map', entries, span: { source: this.source, start, end: this.#at } };
  }

  #laterMap(depth: number): Node {
    const start = this.#at;
    this.#skipMap();
    const { source, later } = this;
    return new LaterMap(
      { source, start, end: this.#at },
      () => new JsonReader(source, start, later).#map(depth).entries,
    );
  }

  /** Skips to the end of the map. */
  #skipMap(): void {
    let open = 0;
    do {
      structure.lastIndex = this.#at;
      const [found] = structure.exec(this.#text) ?? ['}'];
      this.#at = structure.lastIndex;
      if (found === '{') open += 1;
      else if (found === '}') open -= 1;
      else this.#skipString();
    } while (open > 0);
  }

  /** Skips the rest of a string after its opening quote. */
  #skipString(): void {
    let end = this.#text.indexOf('"', this.#at);
    while (this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    this.#at = end + 1;
  }

  #isEscaped(at: number): boolean {
    let first = at;
    while (this.#text[first - 1] === '\\') first -= 1;
    return (at - first) % 2 === 1;
  }

  #list(depth: number): Node {
    const start = this.#at;
    const items: Node[] = [];
    this.#open();
    while (this.isGood && this.#text[this.#at] !== ']') {
      items.push(this.value(depth + 1));
      this.#close();
    }
    this.#at += 1;
    return { kind: 'list', items, span: { source: this.source, start, end: this.#at } };
  }

  /** Skips the bracket that opens a map or list. */
  #open(): void {
    this.#at += 1;
    this.#skipSpace();
  }

  /** Skips the comma after a value, if any. */
  #close(): void {
    this.#skipSpace();
    if (this.#text[this.#at] !== ',') return;
    this.#at += 1;
    this.#skipSpace();
  }

  #string(): ScalarNode {
    const start = this.#at;
    let end = start + 1;
    for (
      let character = this.#text[end];
      character !== '"' && character !== undefined;
      character = this.#text[end]
    )
      end += character === '\\' ? 2 : 1;
    this.#at = end + 1;
    const written = this.#text.slice(start, end + 1);
    const value = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
    const text = scalarText(this.source, start, end + 1, 'QUOTE_DOUBLE', value);
    return { kind: 'scalar', value, text, style: 'quoted', span: text.span };
  }

  #word(): ScalarNode {
    const start = this.#at;
    word.lastIndex = start;
    const written = word.exec(this.#text)?.[0] ?? '';
    this.#at = start + written.length;
    const text = scalarText(this.source, start, this.#at, 'PLAIN', written);
    const value = JSON.parse(written) as null | boolean | number;
    return { kind: 'scalar', value, text, style: 'plain', span: text.span };
  }

  #skipSpace(): void {
    space.lastIndex = this.#at;
    space.test(this.#text);
    this.#at = space.lastIndex;
  }
}
