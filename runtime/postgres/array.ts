/** PostgreSQL array notation: `{1,NULL,"a, b",{2,3}}`, preceded by bounds if these do not begin at 1. */
import { isNumberIn, noteNumbersOf, type Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import type { Encoder, NotNull } from './encode.js';
import type { Decode } from '../sql/rows.js';

/** Parses an array of any dimension. A string that is not an array (int2vector and similar types) is returned unchanged. */
export function parseArray(text: string, delimiter: string, decode: Decode<string>): Json {
  const start = text.startsWith('[') ? text.indexOf('{') : 0;
  if (text[start] !== '{') return text;
  const reader = new ArrayReader(text, start + 1, delimiter, decode);
  return reader.elements();
}

/** Parses an array of JSON. Like in a JSON document, strings that are the digits of numbers too long for a double are marked. */
export function parseDocuments(text: string, delimiter: string): Json {
  const written = parseArray(text, delimiter, (document) => document);
  return Array.isArray(written) ? documentsIn(written) : written;
}

function documentsIn(written: readonly Json[]): Json[] {
  const numbers: Record<string, boolean> = {};
  const list = written.map((one, index) => {
    if (typeof one !== 'string') return Array.isArray(one) ? documentsIn(one) : one;
    const value = parseJson(one);
    if (typeof value === 'string' && !one.trimStart().startsWith('"')) numbers[index] = true;
    return value;
  });
  noteNumbersOf(list, numbers);
  return list;
}

class ArrayReader {
  constructor(
    private readonly text: string,
    private index: number,
    private readonly delimiter: string,
    private readonly decode: Decode<string>,
  ) {}

  /** Reads the elements after an opening brace, up to and including the closing brace. */
  elements(): Json[] {
    const elements: Json[] = [];
    while (this.index < this.text.length) {
      const character = this.text[this.index];
      if (character === '}') {
        this.index += 1;
        return elements;
      }
      if (character === this.delimiter) this.index += 1;
      else elements.push(this.element());
    }
    return elements;
  }

  private element(): Json {
    const character = this.text[this.index];
    if (character === '{') {
      this.index += 1;
      return this.elements();
    }
    if (character === '"') return this.decode(this.quoted());
    const start = this.index;
    while (this.index < this.text.length && !this.isEnd(this.text[this.index])) this.index += 1;
    const word = this.text.slice(start, this.index);
    return word === 'NULL' ? null : this.decode(word);
  }

  private isEnd(character: string | undefined): boolean {
    return character === this.delimiter || character === '}';
  }

  /** Reads a quoted string, in which quotes and backslashes are escaped by a backslash. */
  private quoted(): string {
    const start = this.index + 1;
    let end = start;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    this.index = end + 1;
    return this.text.slice(start, end).replaceAll(/\\(.)/gs, '$1');
  }
}

/** Maximum array dimensions on PostgreSQL. */
const maxDimensions = 6;

/** Writes arrays of any dimension; a single value becomes an array with one element. */
export function arrayEncoder(element: Encoder, delimiter: string): Encoder {
  const list = (value: readonly Json[], isJsonText: boolean, depth: number): string | undefined => {
    // Arrays of JSON are one-dimensional: nested arrays are part of an element.
    const isNested = element.takesArrays !== true && value.some(Array.isArray);
    if (isNested && (depth === maxDimensions || !isEven(value))) return undefined;
    const texts: string[] = [];
    for (const [index, item] of value.entries()) {
      const text = isNested
        ? list(item as Json[], isJsonText, depth + 1)
        : elementText(item, isJsonText || isNumberIn(value, index));
      if (text === undefined) return undefined;
      texts.push(text);
    }
    return `{${texts.join(delimiter)}}`;
  };
  const elementText = (item: Json, isJsonText: boolean): string | undefined => {
    if (item === null) return 'NULL';
    const text = element.encode(item, isJsonText);
    // Digits, true and false do not need quotes, and the check saves time for long lists.
    if (typeof item === 'number' || typeof item === 'boolean') return text;
    return text === undefined ? undefined : quoted(text);
  };
  return {
    one: `a list of ${element.many}`,
    many: `lists of ${element.many}`,
    encode: (value, isJsonText) => list(Array.isArray(value) ? value : [value], isJsonText, 1),
    expected: (value) => expectedIn(element, value),
    misfit: (value) => (Array.isArray(value) ? misfitIn(element, value, '') : undefined),
  };
}

function quoted(text: string): string {
  return text.includes('"') || text.includes('\\') ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `"${text}"`;
}

/** Whether all values are arrays of the same length. */
function isEven(values: readonly Json[]): boolean {
  const [first] = values;
  const length = Array.isArray(first) ? first.length : -1;
  return values.every((value) => Array.isArray(value) && value.length === length);
}

/** A description of valid values, for a single value; of the required shape, for a list of valid elements. */
function expectedIn(element: Encoder, value: NotNull): string {
  if (Array.isArray(value))
    return misfitIn(element, value, '') === undefined
      ? `a list of single values, or of lists of one length, ${maxDimensions} levels deep at most`
      : `a list of ${element.many}`;
  return element.expected?.(value) ?? element.one;
}

/** The first element that is invalid on its own. */
function misfitIn(
  element: Encoder,
  values: readonly Json[],
  at: string,
): ReturnType<NonNullable<Encoder['misfit']>> {
  for (const [index, item] of values.entries()) {
    const position = `${at}[${index}]`;
    if (item === null) continue;
    if (Array.isArray(item) && element.takesArrays !== true) {
      const inner = misfitIn(element, item, position);
      if (inner !== undefined) return inner;
    } else if (element.encode(item, false) === undefined)
      return { at: position, expected: element.expected?.(item) ?? element.one };
  }
  return undefined;
}
