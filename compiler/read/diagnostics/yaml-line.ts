/** Finds lines of a YAML file at which comments are possible, that is, not inside block scalars and multi-line strings. */
import { position, type Span, type Source } from '../source.js';

/** For each line (from 0), the line with the `|` or `>` of the surrounding block scalar, or the line itself. */
const heads = new WeakMap<Source, readonly number[]>();

/** `query: |`, possibly with an anchor, an indentation indicator and a comment. */
const blockHead = /(?:^|[:?-][ \t]+)(?:[&!][^\s]*[ \t]+)*[|>][-+\d]*[ \t]*(?:#.*)?$/;

/** The first line (from 1) of the YAML scalar that contains the span: comments above it apply to the span. */
export function lineOfScalar({ source, start, scalar }: Span): number {
  const { line } = position(source, scalar?.start ?? start);
  return (headsOf(source)[line - 1] ?? line - 1) + 1;
}

/** Whether the line (from 1) is inside a block scalar, which cannot contain comments. */
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
    // The content is indented relative to the key after any list dashes.
    indent = /^[ \t]*(?:[-?][ \t]+)*/.exec(line)?.[0].length ?? 0;
    // A block scalar that is itself a list item: `- |`.
    if (indent > 0 && /^[|>]/.test(line.slice(indent))) indent = own;
  }
  heads.set(source, found);
  return found;
}
