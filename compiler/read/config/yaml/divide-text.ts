/** Divides a configuration into operations by the indentation of its lines, without parsing YAML. */

/** A text divided into adjacent parts. */
export interface DividedText {
  /** Everything up to and including the `operations:` line; the whole configuration if that line is missing; empty for an included file. */
  readonly before: string;
  /** The text of each operation, from the line of its name to the next operation. YAML parsing checks later that these are operations. */
  readonly operations: readonly string[];
  /** The length of empty lines and comments before the first operation's name. */
  readonly lead: number;
  /** The indentation of operation names. */
  readonly indent: number;
  readonly after: string;
}

const [tab, lineFeed, carriageReturn, space, hash] = [9, 10, 13, 32, 35];

/** Characters with which a simple key cannot begin: list items, explicit keys, flow collections, anchors, aliases, tags, block scalars. */
const otherBeginnings = '-?:[]{}&*!|>%@`,';

/** Divides a configuration; undefined if the lines do not clearly delimit the operations. */
export function divideText(text: string): DividedText | undefined {
  const head = Math.max(0, text.search(/(?<![^\n])operations:/));
  if (!text.startsWith(header, head))
    return /^include:/m.test(text)
      ? { before: text, operations: [], lead: 0, indent: 0, after: '' }
      : undefined;
  const headEnd = text.indexOf('\n', head);
  if (headEnd === -1 || !/^[ \t]*(?:#.*)?\r?$/.test(text.slice(head + header.length, headEnd)))
    return undefined;
  const starts: number[] = [];
  let indent = 0;
  let end = text.length;
  for (let line = headEnd + 1; line < text.length; line = nextLine(text, line)) {
    const column = columnOfContent(text, line);
    if (column === undefined) continue;
    if (column === 0) {
      end = line;
      break;
    }
    if (indent === 0) indent = column;
    if (column > indent) continue;
    const first = text.charCodeAt(line + column);
    if (column < indent || otherBeginnings.includes(String.fromCharCode(first))) return undefined;
    starts.push(line);
  }
  const [first] = starts;
  if (first === undefined) return undefined;
  return {
    before: text.slice(0, headEnd + 1),
    operations: starts.map((start, index) =>
      text.slice(index === 0 ? headEnd + 1 : start, starts[index + 1] ?? end),
    ),
    lead: first - headEnd - 1,
    indent,
    after: text.slice(end),
  };
}

/** Divides an included file, where operations begin without indentation. Undefined if the lines do not clearly delimit them. */
export function divideIncluded(text: string): DividedText | undefined {
  const starts: number[] = [];
  for (let line = 0; line < text.length; line = nextLine(text, line)) {
    if (columnOfContent(text, line) !== 0) continue;
    const first = text.charCodeAt(line);
    if (otherBeginnings.includes(String.fromCharCode(first))) return undefined;
    starts.push(line);
  }
  const [first] = starts;
  if (first === undefined) return undefined;
  const operations = starts.map((start, index) => text.slice(index === 0 ? 0 : start, starts[index + 1]));
  return { before: '', operations, lead: first, indent: 0, after: '' };
}

const header = 'operations:';

function nextLine(text: string, line: number): number {
  const end = text.indexOf('\n', line);
  return end === -1 ? text.length : end + 1;
}

/**
 * The column of the line's content; undefined for empty lines and comments, and for lines indented with tabs, which YAML does not allow
 * between operations, so that the line counts as part of the previous one.
 */
function columnOfContent(text: string, line: number): number | undefined {
  let at = line;
  while (text.charCodeAt(at) === space) at += 1;
  const first = text.charCodeAt(at);
  const isEmpty = Number.isNaN(first) || first === lineFeed || first === carriageReturn;
  if (isEmpty || first === hash || first === tab) return undefined;
  return at - line;
}
