/**
 * Reads the common form of configurations line by line: block maps and lists, single-line strings, literal blocks, comments. Everything
 * else, including anything with a diagnostic, is left to the YAML parser, which produces the same nodes but takes ten times as long.
 */
import type { Source } from '../../../source.js';
import type { Entry, ListNode, MapNode, Node, ScalarNode } from '../node.js';
import { scalarText } from '../scalar-span.js';

/** Thrown if the text is not in the common form. */
class OtherForm extends Error {}

const [lineFeed, space, hash, dash, colon] = [10, 32, 35, 45, 58];

/** The tree and its number of nodes; undefined if the text is not in the common form. `depth` is the depth of the root. */
export function readPlainYaml(
  source: Source,
  depth: number,
  maxDepth: number,
): { readonly root: MapNode; readonly nodes: number } | undefined {
  // Tabs, Windows line breaks and byte order marks.
  if (/[\t\r\uFEFF]/.test(source.text)) return undefined;
  try {
    const reader = new PlainReader(source, maxDepth);
    return { root: reader.root(depth), nodes: reader.nodes };
  } catch (error) {
    if (error instanceof OtherForm) return undefined;
    throw error;
  }
}

class PlainReader {
  readonly #text: string;
  nodes = 0;
  /** The start and column of the current line's content. */
  #at = 0;
  #column = 0;
  /** The end of the current line, without its line break. */
  #lineEnd = -1;
  /** The highest column of a comment between the previous line and this one; -1 if there is no comment. */
  #commentColumn = -1;

  constructor(
    private readonly source: Source,
    private readonly maxDepth: number,
  ) {
    this.#text = source.text;
    this.#nextLine();
  }

  root(depth: number): MapNode {
    if (this.#column !== 0 || this.#isItem()) throw new OtherForm();
    return this.#map(depth).node;
  }

  /** Moves to the next line with content. The column is -1 after the last line. */
  #nextLine(): void {
    const text = this.#text;
    this.#commentColumn = -1;
    let start = this.#lineEnd + 1;
    for (;;) {
      if (start >= text.length) {
        this.#column = -1;
        this.#at = text.length;
        return;
      }
      const end = text.indexOf('\n', start);
      this.#lineEnd = end === -1 ? text.length : end;
      let at = start;
      while (text.charCodeAt(at) === space) at += 1;
      const first = text.charCodeAt(at);
      if (first === hash) this.#commentColumn = Math.max(this.#commentColumn, at - start);
      else if (first !== lineFeed && at < text.length) {
        this.#at = at;
        this.#column = at - start;
        // A document marker or directive.
        if (at === start && /^(?:---|\.\.\.|%)/.test(text.slice(start, start + 3))) throw new OtherForm();
        return;
      }
      start = this.#lineEnd + 1;
    }
  }

  /** Whether the current line begins with `- `. */
  #isItem(): boolean {
    const next = this.#text.charCodeAt(this.#at + 1);
    return (
      this.#text.charCodeAt(this.#at) === dash &&
      (next === space || next === lineFeed || this.#at + 1 === this.#text.length)
    );
  }

  #count(depth: number): void {
    if (depth > this.maxDepth) throw new OtherForm();
    this.nodes += 1;
  }

  /**
   * Whether a map or list at that column continues on the current line. Comments that the parser would attach to it are not in the common
   * form.
   */
  #goesOn(column: number): boolean {
    if (this.#column > column) throw new OtherForm();
    if (this.#column === column) {
      if (this.#commentColumn > column) throw new OtherForm();
      return true;
    }
    if (this.#commentColumn >= column) throw new OtherForm();
    return false;
  }

  #map(depth: number): Ended<MapNode> {
    this.#count(depth);
    const column = this.#column;
    const start = this.#at;
    const entries: Entry[] = [];
    const names = new Set<string>();
    let end: number;
    do {
      if (this.#isItem()) throw new OtherForm();
      const key = this.#key();
      this.#count(depth);
      const name = key.text.value;
      if (names.has(name) || name === '<<') throw new OtherForm();
      names.add(name);
      const read = this.#value(key.span.end + 1, column, depth + 1);
      // The key may be a piece of a cut value.
      if (read.end === read.node.span.start && name.includes(')')) throw new OtherForm();
      entries.push({ key, value: read.node });
      end = read.end;
    } while (this.#goesOn(column));
    return { node: { kind: 'map', entries, span: { source: this.source, start, end } }, end };
  }

  #list(depth: number): Ended<ListNode> {
    this.#count(depth);
    const column = this.#column;
    const start = this.#at;
    const items: Node[] = [];
    let end: number;
    do {
      let at = this.#at + 1;
      while (this.#text.charCodeAt(at) === space) at += 1;
      if (at >= this.#lineEnd || this.#text.charCodeAt(at) === hash) throw new OtherForm();
      this.#column += at - this.#at;
      this.#at = at;
      if (this.#isItem()) throw new OtherForm();
      const item =
        this.#endOfKey() !== undefined ? this.#map(depth + 1) : this.#scalar(at, column, depth + 1);
      items.push(item.node);
      end = item.end;
    } while (this.#goesOn(column) && this.#isItem());
    // A list may begin at the column of its key.
    if (this.#column === column && this.#commentColumn >= column) throw new OtherForm();
    return { node: { kind: 'list', items, span: { source: this.source, start, end } }, end };
  }

  /** The end of the key at the beginning of the current line, before its colon; undefined if there is no key. */
  #endOfKey(): number | undefined {
    const text = this.#text;
    const end = this.#endOfQuotes(this.#at);
    if (end !== undefined) return this.#isColon(end) ? end : undefined;
    if (!beginsString(text, this.#at)) return undefined;
    const most = Math.min(this.#lineEnd, this.#at + longestKey);
    for (let at = this.#at + 1; at < most; at += 1) {
      const character = text.charCodeAt(at);
      if (character === colon && this.#isColon(at)) return text.charCodeAt(at - 1) === space ? undefined : at;
      if (character === hash && text.charCodeAt(at - 1) === space) return undefined;
    }
    return undefined;
  }

  /** Whether there is a colon that ends a key. */
  #isColon(at: number): boolean {
    const next = this.#text.charCodeAt(at + 1);
    return this.#text.charCodeAt(at) === colon && (next === space || at + 1 === this.#lineEnd);
  }

  /** The end of the quoted string at that position; undefined if it is not quoted, spans several lines, or contains escapes. */
  #endOfQuotes(at: number): number | undefined {
    const quote = this.#text.charAt(at);
    if (quote !== "'" && quote !== '"') return undefined;
    const rest = this.#text.slice(at, this.#lineEnd);
    const end = rest.indexOf(quote, 1);
    if (end === -1) return undefined;
    const isEscaped = quote === "'" ? rest[end + 1] === quote : rest.slice(0, end).includes('\\');
    return isEscaped ? undefined : at + end + 1;
  }

  #key(): ScalarNode {
    const end = this.#endOfKey();
    if (end === undefined) throw new OtherForm();
    return this.#node(this.#at, end);
  }

  /** Reads the value after the colon of a key at that column. */
  #value(behind: number, column: number, depth: number): Ended<Node> {
    const text = this.#text;
    let at = behind;
    while (text.charCodeAt(at) === space) at += 1;
    if (at < this.#lineEnd && text.charCodeAt(at) !== hash) return this.#scalar(at, column, depth);
    const isCommented = at < this.#lineEnd;
    this.#nextLine();
    if (this.#column > column) return this.#isItem() ? this.#list(depth) : this.#map(depth);
    if (this.#column === column && this.#isItem()) return this.#list(depth);
    // The parser attaches comments to an empty value.
    if (isCommented || this.#commentColumn >= 0) throw new OtherForm();
    this.#count(depth);
    return { node: this.#node(at, at), end: at };
  }

  /** Reads the scalar at that position and moves to the next line. */
  #scalar(at: number, column: number, depth: number): Ended<ScalarNode> {
    this.#count(depth);
    const first = this.#text.charAt(at);
    if (first === '|') return this.#literal(at, column);
    const node = this.#node(at, this.#endOfScalar(at));
    const next = Math.min(this.#lineEnd + 1, this.#text.length);
    this.#nextLine();
    return { node, end: next };
  }

  /** The end of a single-line string, which a comment may follow. */
  #endOfScalar(at: number): number {
    const text = this.#text;
    const first = text.charAt(at);
    if (first === "'" || first === '"') {
      const end = this.#endOfQuotes(at);
      if (end === undefined) throw new OtherForm();
      let behind = end;
      while (text.charCodeAt(behind) === space) behind += 1;
      const isComment = text.charCodeAt(behind) === hash && behind > end;
      if (behind < this.#lineEnd && !isComment) throw new OtherForm();
      return end;
    }
    if (!beginsString(text, at)) throw new OtherForm();
    const rest = text.slice(at, this.#lineEnd);
    const comment = rest.indexOf(' #');
    let length = comment === -1 ? rest.length : comment;
    while (rest.charCodeAt(length - 1) === space) length -= 1;
    const other = rest.indexOf(': ');
    if (rest.charCodeAt(length - 1) === colon || (other !== -1 && other < length)) throw new OtherForm();
    return at + length;
  }

  /** Reads the lines after `|`, which have at least the same indentation. */
  #literal(at: number, column: number): Ended<ScalarNode> {
    const text = this.#text;
    const header = text.slice(at, this.#lineEnd);
    if (header !== '|' && header !== '|-') throw new OtherForm();
    const first = this.#lineEnd + 1;
    let indent = 0;
    while (text.charCodeAt(first + indent) === space) indent += 1;
    if (indent <= column) throw new OtherForm();
    const lines: string[] = [];
    /** Empty lines count only if another line follows. */
    let empty = 0;
    let end = first;
    for (let start = first; start < text.length;) {
      const lineBreak = text.indexOf('\n', start);
      // The last line of the file does not end with a line break.
      if (lineBreak === -1) throw new OtherForm();
      if (lineBreak === start) empty += 1;
      else {
        let spaces = 0;
        while (spaces < indent && text.charCodeAt(start + spaces) === space) spaces += 1;
        if (spaces < indent) break;
        // A line of only spaces.
        if (text.slice(start, lineBreak).trim() === '') throw new OtherForm();
        for (; empty > 0; empty -= 1) lines.push('');
        lines.push(text.slice(start + indent, lineBreak));
        end = lineBreak + 1;
      }
      start = lineBreak + 1;
    }
    if (lines.length === 0) throw new OtherForm();
    const value = lines.join('\n') + (header === '|' ? '\n' : '');
    const string = scalarText(this.source, at, end, 'BLOCK_LITERAL', value);
    this.#lineEnd = end - 1;
    this.#nextLine();
    return { node: { kind: 'scalar', value, text: string, style: 'block', span: string.span }, end };
  }

  #node(start: number, end: number): ScalarNode {
    const first = this.#text.charAt(start);
    const style = first === "'" ? 'QUOTE_SINGLE' : first === '"' ? 'QUOTE_DOUBLE' : 'PLAIN';
    if (style !== 'PLAIN') {
      const value = this.#text.slice(start + 1, end - 1);
      const text = scalarText(this.source, start, end, style, value);
      return { kind: 'scalar', value, text, style: 'quoted', span: text.span };
    }
    const written = this.#text.slice(start, end);
    const text = scalarText(this.source, start, end, style, written);
    return { kind: 'scalar', value: plainValue(written), text, style: 'plain', span: text.span };
  }
}

/** A node, and the end of its last line, where the surrounding map or list would end. */
interface Ended<Of extends Node> {
  readonly node: Of;
  readonly end: number;
}

/** The parser reports longer keys. */
const longestKey = 1000;

/** Whether an unquoted string begins there, that is, its first characters are not special in YAML. */
function beginsString(text: string, at: number): boolean {
  const first = text.charAt(at);
  if (first === '-' || first === ':') return !/^\s?$/.test(text.charAt(at + 1));
  return !/^[?,[\]{}#&*!|>'"%@`\s]?$/.test(first);
}

/** The value of an unquoted string according to YAML 1.2. */
function plainValue(written: string): ScalarNode['value'] {
  if (!/^[~nNtTfF\d.+-]/.test(written)) return written === '' ? null : written;
  if (/^(?:~|[Nn]ull|NULL)$/.test(written)) return null;
  if (/^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/.test(written)) return /^t/i.test(written);
  if (/^0o[0-7]+$/.test(written)) return Number.parseInt(written.slice(2), 8);
  if (/^[-+]?\d+$/.test(written)) return Number.parseInt(written, 10);
  if (/^0x[\da-fA-F]+$/.test(written)) return Number.parseInt(written.slice(2), 16);
  if (/^(?:\.nan|\.NaN|\.NAN)$/.test(written)) return NaN;
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(written)) return written.startsWith('-') ? -Infinity : Infinity;
  const isFloat =
    /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)[eE][-+]?\d+$/.test(written) || /^[-+]?(?:\.\d+|\d+\.\d*)$/.test(written);
  return isFloat ? Number.parseFloat(written) : written;
}
