/** The operations of a configuration by the indentation of their lines, found without reading YAML. */

/** A text in parts, which follow each other without a gap. */
export interface DividedText {
  /** As far as the line of `operations:`, which is in it; all of a configuration without that line, and nothing of an included file. */
  readonly before: string;
  /** Each from the line of its name to that of the next one. It is checked later that YAML reads them as operations. */
  readonly operations: readonly string[];
  /** How many characters of empty lines and comments the first one has before its name. */
  readonly lead: number;
  /** How far the names of the operations are indented. */
  readonly indent: number;
  readonly after: string;
}

const [tab, lineFeed, carriageReturn, space, hash] = [9, 10, 13, 32, 35];

/** Characters that a simple key cannot begin with: list items, explicit keys, flow collections, anchors, aliases, tags, block scalars. */
const otherBeginnings = '-?:[]{}&*!|>%@`,';

/** Undefined if their lines do not show the operations. */
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

/** An included file, whose operations begin at the beginning of lines. Undefined if their lines do not show them. */
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
 * The number of spaces before the content of the line; undefined for an empty line and a comment, and where a tab is before it: YAML refuses
 * that between operations, so the line belongs to the one above.
 */
function columnOfContent(text: string, line: number): number | undefined {
  let at = line;
  while (text.charCodeAt(at) === space) at += 1;
  const first = text.charCodeAt(at);
  const isEmpty = Number.isNaN(first) || first === lineFeed || first === carriageReturn;
  if (isEmpty || first === hash || first === tab) return undefined;
  return at - line;
}
