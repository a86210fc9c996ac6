/** In which line of a YAML file something can be commented: inside of block scalars and of texts over several lines it cannot. */
import { position, type Span, type Source } from '../source.js';

/** For each line, from 0, the line with the `|` or `>` of the block scalar that it is in, or itself. */
const heads = new WeakMap<Source, readonly number[]>();

/** `query: |`, also with an anchor, a number of columns and a comment. */
const blockHead = /(?:^|[:?-][ \t]+)(?:[&!][^\s]*[ \t]+)*[|>][-+\d]*[ \t]*(?:#.*)?$/;

/** The first line, from 1, of the YAML scalar that contains the span: a comment above it applies to the span. */
export function lineOfScalar({ source, start, scalar }: Span): number {
  const { line } = position(source, scalar?.start ?? start);
  return (headsOf(source)[line - 1] ?? line - 1) + 1;
}

/** Whether the line, counted from 1, belongs to a block scalar, which cannot contain comments. */
export function isInBlock(source: Source, line: number): boolean {
  return headsOf(source)[line - 1] !== line - 1;
}

function headsOf(source: Source): readonly number[] {
  const known = heads.get(source);
  if (known !== undefined) return known;
  const found: number[] = [];
  let head = -1;
  let indent = 0;
  for (const [index, line] of source.text.split(/\r?\n/).entries()) {
    const isBlank = /^[ \t]*$/.test(line);
    const own = line.length - line.trimStart().length;
    if (head !== -1 && !isBlank && own <= indent) head = -1;
    found.push(head === -1 ? index : head);
    if (head !== -1 || isBlank || /^[ \t]*#/.test(line) || !blockHead.test(line.slice(-200))) continue;
    head = index;
    // The text is indented relative to the keys after the dashes of lists.
    indent = /^[ \t]*(?:[-?][ \t]+)*/.exec(line)?.[0].length ?? 0;
    // A block that is an element of a list itself: `- |`.
    if (indent > 0 && /^[|>]/.test(line.slice(indent))) indent = own;
  }
  heads.set(source, found);
  return found;
}
