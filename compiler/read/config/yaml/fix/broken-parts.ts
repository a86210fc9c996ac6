/**
 * Repairs operations with invalid YAML in a file whose other operations are cached: only adjacent operations are parsed again. The result
 * is either the same as for the whole file, or undefined.
 */
import { Recording } from '../../../diagnostics/recording.js';
import { MovingSpan, type Anchor, type ScalarText, type Source, type Span } from '../../../source.js';
import type { DividedText } from '../divide-text.js';
import type { ReadText } from './yaml-fixed.js';
import { nestingRunIn, parseYaml } from '../yaml-document.js';
import { repairYaml, type Repaired } from '../yaml-repair.js';

/** A part's text, and its offset in the file. */
export interface PlacedPart {
  readonly text: string;
  readonly offset: number;
  readonly anchor: Anchor;
}

/** The repaired file, with spans that move with the parts; undefined if a problem is outside of the fresh operations. */
export function repairParts(
  source: Source,
  divided: DividedText,
  fresh: ReadonlyMap<number, PlacedPart>,
  report: Recording,
): Repaired | undefined {
  const own = new Recording();
  const readSource = { ...source, text: withoutKnown(divided, (index) => fresh.has(index)) };
  const repaired = nestingRunIn(readSource.text) === undefined && repairedAlone(readSource, own);
  if (!repaired) return undefined;
  const parts = [...fresh.values()];
  const movingOf = (span: Span): Span | undefined => {
    const part = parts.find(({ offset, text }) => span.start >= offset && span.end <= offset + text.length);
    return part && moving(span, part.anchor, part.offset);
  };
  for (const recorded of own.all) {
    const span = movingOf(recorded.span);
    if (span === undefined || recorded.kind === 'alias') return undefined;
    report.all.push({ ...recorded, span });
  }
  return { ...repaired, fixed: new MovingText(repaired.fixed, parts) };
}

/** Repairs a text; also undefined if the parser overflows the stack. */
function repairedAlone(source: Source, report: Recording): Repaired | undefined {
  try {
    return repairYaml(source, report, parseYaml);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** The indexes of the operations to parse: fresh operations and their neighbors, into which an error can extend. */
export function parsedParts(count: number, isFresh: (index: number) => boolean): number[] {
  return Array.from({ length: count }, (_, index) => index).filter((index) =>
    [index - 1, index, index + 1].some(isFresh),
  );
}

/** A text of the same length, with the same line breaks, in which all other operations are blank. */
function withoutKnown(
  { before, operations, after }: DividedText,
  isFresh: (index: number) => boolean,
): string {
  const parsed = new Set(parsedParts(operations.length, isFresh));
  return before + operations.map((text, index) => (parsed.has(index) ? text : blank(text))).join('') + after;
}

/** Spaces and line breaks, as many as in the text. */
function blank(text: string): string {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return ' '.repeat(text.length - lines) + '\n'.repeat(lines);
}

function moving({ start, end, scalar }: Omit<Span, 'source'>, anchor: Anchor, offset: number): MovingSpan {
  const own = scalar && { ...scalar, start: scalar.start - offset, end: scalar.end - offset };
  return new MovingSpan(anchor, start - offset, end - offset, own);
}

/** A repaired text whose spans in fresh parts move with these parts. */
class MovingText implements ReadText {
  constructor(
    private readonly fixed: ReadText,
    private readonly parts: readonly PlacedPart[],
  ) {}

  get readSource(): Source {
    return this.fixed.readSource;
  }

  span(span: Omit<Span, 'source'>): Span {
    const found = this.fixed.span(span);
    const part = this.parts.find(
      ({ offset, text }) => found.start >= offset && found.start < offset + text.length,
    );
    return part === undefined ? found : moving(found, part.anchor, part.offset);
  }

  scalar(text: ScalarText): ScalarText {
    return {
      value: text.value,
      span: this.span(text.span),
      spanOf: (start, end) => this.span(text.spanOf(start, end)),
    };
  }
}
