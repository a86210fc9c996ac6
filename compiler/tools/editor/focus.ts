/**
 * The part of a large configuration that is relevant for one operation: everything outside of operations, the operation, and the operations
 * that it calls.
 */

import { colonOf, commentOf, endOfQuote, nameOfKey } from '../../read/config/yaml/yaml-lines.js';

/** A part of a text, with conversions of offsets. */
export interface Focus {
  readonly text: string;
  /** Converts an offset of the whole text; an offset outside of the part becomes the nearest one inside. */
  readonly into: (offset: number) => number;
  /** Converts an offset to one of the whole text. */
  readonly back: (offset: number) => number;
}

interface Chunk {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A text with fewer operations is analyzed as a whole. */
const fewOperations = 20;

/** The operations of a file, found by indentation; empty if the file is written in another style or has anchors. */
export function operationChunks(text: string): Chunk[] {
  if (
    /(?:^|\s)[&*][\w-]+|^[ \t]*<<:/m.test(
      text.replaceAll(/:\[(?:[^\]\n:]|:(?!\[))*\]|'[^'\n]*'|"[^"\n]*"/g, ''),
    )
  )
    return [];
  const head = /^operations:[ \t]*(?:#.*)?\r?\n/m.exec(text);
  if (head === null) return [];
  const begin = head.index + head[0].length;
  const rest = text.slice(begin);
  const next = /^[^\s#]/m.exec(rest);
  const end = next === null ? text.length : begin + next.index;
  const indent = /^( +)[^\s#]/m.exec(text.slice(begin, end))?.[1];
  if (indent === undefined) return [];
  const starts = [...text.slice(begin, end).matchAll(new RegExp(`^${indent}[^\\s#-].*$`, 'gm'))];
  return starts.map((match, index) => ({
    name: nameOf(match[0]),
    start: begin + match.index,
    end: begin + (starts[index + 1]?.index ?? end - begin),
  }));
}

function nameOf(line: string): string {
  const written = line.trim();
  return nameOfKey(written.slice(0, colonOf(written)));
}

/** Candidate names in the value of a key: the rest of the line and, for keys in braces, the part before a comma or brace. */
function namesIn(written: string): string[] {
  const quote = endOfQuote(written, 0, written.length);
  if (/^['"]/.test(written)) return [nameOfKey(written.slice(0, quote))];
  const plain = written.slice(0, commentOf(written));
  const [first = ''] = plain.split(/[,}]/, 1);
  return [plain.trim(), first.trim()];
}

/** Undefined if the whole text should be analyzed, because it is small or cannot be divided. */
export function focusAt(text: string, offset: number): Focus | undefined {
  const chunks = operationChunks(text);
  const own = chunks.find(({ start, end }) => start <= offset && offset < end);
  const last = chunks.at(-1);
  if (chunks.length < fewOperations || own === undefined || last === undefined) return undefined;
  const byName = new Map(chunks.map((chunk) => [chunk.name, chunk]));
  const kept = new Set([own]);
  for (const { start, end } of kept) {
    for (const [, written = ''] of text.slice(start, end).matchAll(/\boperationName:\s*(.*)$/gm))
      for (const called of namesIn(written).flatMap((name) => byName.get(name) ?? [])) kept.add(called);
  }
  const first = chunks[0] ?? own;
  const ranges = [
    { start: 0, end: first.start },
    ...chunks.filter((chunk) => kept.has(chunk)),
    { start: last.end, end: text.length },
  ];
  return ofRanges(text, ranges);
}

function ofRanges(text: string, ranges: readonly { readonly start: number; readonly end: number }[]): Focus {
  let length = 0;
  const parts = ranges.map(({ start, end }) => {
    const at = length;
    length += end - start;
    return { start, end, at };
  });
  return {
    text: parts.map(({ start, end }) => text.slice(start, end)).join(''),
    into: (offset) => {
      const part = parts.find(({ start, end }) => start <= offset && offset <= end) ?? parts[0];
      return part === undefined ? 0 : part.at + Math.min(offset, part.end) - part.start;
    },
    back: (offset) => {
      const part =
        parts.find(({ start, end, at }) => at <= offset && offset < at + end - start) ?? parts.at(-1);
      return part === undefined ? offset : part.start + offset - part.at;
    },
  };
}
