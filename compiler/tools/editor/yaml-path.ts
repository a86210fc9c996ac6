/** Finds the keys on the path to a position by indentation, because the text may not be valid YAML while it is typed. */
import type { Source } from '../../read/source.js';

/** A map key or a list item. */
export type PathStep = { readonly kind: 'key'; readonly name: string } | { readonly kind: 'item' };

export interface YamlPath {
  /** Steps from the root to the map, list or value at the position. */
  readonly steps: readonly PathStep[];
  /** Whether a key is being written, as opposed to a value. */
  readonly isKey: boolean;
  /** The text of the key or value before the position, including earlier lines of a multi-line value. */
  readonly before: string;
  /** Offset of the current line's content, after indentation and dashes, to find neighbouring keys. */
  readonly start: number;
  /** The column of the neighbouring keys. */
  readonly column: number;
}

/** One line: the columns of its dashes, and its key. */
interface Line {
  readonly dashes: readonly number[];
  readonly column: number;
  readonly key: string | undefined;
  /** The text after the colon, or the whole content if there is no key. */
  readonly rest: string;
  /** Column index of `rest`. */
  readonly restAt: number;
}

const keyPattern =
  /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s'"#{}[\],&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+|$)/;

function readLine(text: string): Line {
  const dashes: number[] = [];
  let column = /^ */.exec(text)?.[0].length ?? 0;
  for (;;) {
    const dash = /^-(?: +|$)/.exec(text.slice(column));
    if (dash === null) break;
    dashes.push(column);
    column += dash[0].length;
  }
  const content = text.slice(column);
  const match = keyPattern.exec(content);
  const key = match?.[1];
  const restAt = column + (match?.[0].length ?? 0);
  return { dashes, column, key: key && unquoted(key), rest: text.slice(restAt), restAt };
}

/** The key without quotes. */
function unquoted(key: string): string {
  if (key.startsWith("'")) return key.slice(1, -1).replaceAll("''", "'");
  return key.startsWith('"') ? key.slice(1, -1).replaceAll(/\\(.)/g, '$1') : key;
}

/** The path to an offset in a file; paths in included files start at `operations` of the configuration. */
export function yamlPathIn({ text, includedAs }: Source, offset: number): YamlPath {
  const path = yamlPathAt(text, offset);
  return includedAs === undefined
    ? path
    : { ...path, steps: [{ kind: 'key', name: 'operations' }, ...path.steps] };
}

/** The path to an offset in the text. */
function yamlPathAt(text: string, offset: number): YamlPath {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const written = text.slice(lineStart, offset);
  const block = blockAround(text, lineStart, written);
  if (block !== undefined) return block;
  const line = readLine(written);
  const own: PathStep[] = line.dashes.map((): PathStep => ({ kind: 'item' }));
  const top = line.dashes[0];
  const above =
    top === undefined
      ? stepsAbove(text, lineStart, line.column, false)
      : stepsAbove(text, lineStart, top, true);
  const steps = [...above, ...own];
  const at = { start: lineStart + line.column, column: line.column };
  if (line.key === undefined && !/^[{[]/.test(line.rest)) {
    const isContinued = top === undefined && isContinuation(text, lineStart, line.column);
    return { steps, isKey: !isContinued, before: line.rest, ...at };
  }
  const behind: PathStep[] = line.key === undefined ? [] : [{ kind: 'key', name: line.key }];
  return { ...insideFlow([...steps, ...behind], line.rest), ...at };
}

/** Whether the previous line starts a value that this more deeply indented line continues. */
function isContinuation(text: string, lineStart: number, column: number): boolean {
  const before =
    text
      .slice(0, Math.max(0, lineStart - 1))
      .split('\n')
      .at(-1) ?? '';
  const line = readLine(before);
  return line.key !== undefined && line.rest.trim() !== '' && line.column < column;
}

/** The path for a position in a block scalar (`|`, `>`): the value of the key that opens it. */
function blockAround(text: string, lineStart: number, written: string): YamlPath | undefined {
  const indent = /^ */.exec(written)?.[0].length ?? 0;
  let end = lineStart;
  let min = written.trim() === '' ? Math.max(indent, written.length) : indent;
  for (let lines = 0; end > 0 && lines < 500; lines += 1) {
    const start = text.lastIndexOf('\n', end - 2) + 1;
    const above = text.slice(start, end - 1);
    if (above.trim() !== '') {
      const line = readLine(above);
      const at = /^ */.exec(above)?.[0].length ?? 0;
      const outer = line.dashes.length > 0 ? Math.min(...line.dashes, at) : at;
      if (
        /^[|>][-+\d]*\s*(?:#.*)?$/.test(line.rest) &&
        outer < min &&
        line.column < Math.max(min, indent + 1)
      ) {
        const keys: PathStep[] = line.key === undefined ? [] : [{ kind: 'key', name: line.key }];
        const path = yamlPathAt(text, start + line.column);
        return {
          steps: [...path.steps, ...keys],
          isKey: false,
          before: text.slice(end, lineStart) + written,
          start: start + line.column,
          column: line.column,
        };
      }
      if (at < min) min = at;
      if (min === 0) return undefined;
    }
    end = start;
  }
  return undefined;
}

/** Keys and items above a line whose content starts in this column; `isItem`: the content is a list item. */
function stepsAbove(text: string, lineStart: number, column: number, isItem: boolean): PathStep[] {
  const found: PathStep[] = [];
  let min = column;
  let inList = isItem;
  for (let end = lineStart; end > 0 && (min > 0 || inList);) {
    const start = text.lastIndexOf('\n', end - 2) + 1;
    const above = text.slice(start, end - 1).replace(/\r$/, '');
    end = start;
    if (/^\s*(?:#|$)/.test(above)) continue;
    const { dashes, column: keyColumn, key } = readLine(above);
    if (key !== undefined && (keyColumn < min || (inList && keyColumn === min && !dashes.includes(min)))) {
      found.push({ kind: 'key', name: key });
      min = keyColumn;
      inList = false;
    }
    for (const dash of [...dashes].reverse()) {
      if (dash >= min) continue;
      found.push({ kind: 'item' });
      min = dash;
      inList = true;
    }
  }
  return found.reverse();
}

/** The path into a value that may be written with `{ }` and `[ ]` on its line. */
function insideFlow(steps: readonly PathStep[], rest: string): Pick<YamlPath, 'steps' | 'isKey' | 'before'> {
  const path = [...steps];
  let value = rest;
  for (;;) {
    const open = /^([{[])/.exec(value.trimStart())?.[1];
    if (open === undefined) return { steps: path, isKey: false, before: value };
    const inside = lastEntry(value.trimStart().slice(1));
    if (inside === undefined) return { steps: path, isKey: false, before: '' };
    if (open === '[') {
      path.push({ kind: 'item' });
      value = inside;
      continue;
    }
    const match = keyPattern.exec(inside);
    if (match === null) return { steps: path, isKey: true, before: inside };
    path.push({ kind: 'key', name: unquoted(match[1] ?? '') });
    value = inside.slice(match[0].length);
  }
}

/** The last entry of an unclosed `{` or `[`; undefined if all are closed. */
function lastEntry(text: string): string | undefined {
  let depth = 0;
  let begin = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if ((character === "'" || character === '"') && /[\s,{[:]/.test(text.charAt(at - 1) || ' ')) {
      const end = text.indexOf(character, at + 1);
      if (end === -1) break;
      at = end;
    } else if (character === '{' || character === '[' || character === '(') depth += 1;
    else if (character === '}' || character === ']' || character === ')') {
      depth -= 1;
      if (depth < 0) return undefined;
    } else if (character === ',' && depth === 0) begin = at + 1;
  }
  return text.slice(begin).trimStart();
}
