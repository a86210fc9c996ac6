/** Maps V8's coverage of a script to positions in its sources. */
import type { Profiler } from 'node:inspector';

/** The parts of a source map that are used here. */
export interface Mappings {
  readonly sources: readonly (string | null)[];
  readonly sourceRoot?: string;
  readonly mappings: string;
}

/** A position in a script, and the corresponding position in a source. */
interface Segment {
  /** Offset in the script. */
  readonly offset: number;
  /** The index of the source in the source map. */
  readonly source: number;
  readonly position: number;
}

/** A script with the positions of its sources. */
export interface MappedScript {
  readonly sources: readonly (string | null)[];
  readonly segments: readonly Segment[];
}

/** A position as one number; lines and columns start at 0. */
export function positionOf(line: number, column: number): number {
  return line * 4096 + Math.min(column, 4095);
}

/** `starts`: the script offset of each line in the source map. */
export function mapScript({ sources, mappings }: Mappings, starts: readonly number[]): MappedScript {
  const segments: Segment[] = [];
  let [source, line, column] = [0, 0, 0];
  mappings.split(';').forEach((text, index) => {
    let generated = 0;
    for (const part of text.split(',').filter(Boolean)) {
      const [a = 0, b, c = 0, d = 0] = decode(part);
      generated += a;
      if (b === undefined) continue;
      [source, line, column] = [source + b, line + c, column + d];
      const start = starts[index];
      if (start !== undefined)
        segments.push({ offset: start + generated, source, position: positionOf(line, column) });
    }
  });
  return { sources, segments: segments.sort((one, other) => one.offset - other.offset) };
}

/** The offsets at which the lines of a text begin. */
export function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** Calls back for each source position, with whether it was executed. */
export function eachPlace(
  { segments }: MappedScript,
  functions: readonly Profiler.FunctionCoverage[],
  tell: (source: number, position: number, isReached: boolean) => void,
): void {
  // Ranges are nested: a position belongs to the last range that begins before it and has not ended.
  const ranges = functions
    .flatMap((one) => one.ranges)
    .sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  const open: Profiler.CoverageRange[] = [];
  let next = 0;
  for (const { offset, source, position } of segments) {
    for (let range = ranges[next]; range !== undefined && range.startOffset <= offset; range = ranges[++next])
      open.push(range);
    while ((open.at(-1)?.endOffset ?? Infinity) <= offset) open.pop();
    const holding = open.findLast((range) => range.endOffset > offset);
    if (holding !== undefined) tell(source, position, holding.count > 0);
  }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Decodes the numbers of a segment (base64 VLQ). */
function decode(text: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of text) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
