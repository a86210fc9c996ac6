/** Parses paths into a value, which are the same in both syntaxes (docs/design/expressions.md#exp-4). */
import type { Path, Step } from '../ast.js';
import { atQuote, quote, quoted } from './quoted.js';
import type { Scanner } from './scanner.js';

/** Field names after a dot: letters, digits, `_`, `-`, `@` and `$`. A `$` alone begins a path of Syntax A. */
const fieldName = /(?:[\p{L}\p{M}\p{N}_@$]|-(?!>))+/uy;

/** Path := `$` Step* */
export function path(scanner: Scanner): Path | undefined {
  const start = scanner.index;
  if (!scanner.take('$')) {
    pathWithoutRoot(scanner, start);
    return undefined;
  }
  const found = steps(scanner);
  if (found === undefined) return undefined;
  if (scanner.peek(/\s*(?:[,)\]]|$)/y) !== undefined) return found;
  recoverInPath(scanner, start);
  return undefined;
}

/** Step*, up to a name followed by `(`, which is a method call of Syntax B */
export function steps(scanner: Scanner): Step[] | undefined {
  const found: Step[] = [];
  for (;;) {
    const arrow = scanner.peek(/->>?(?=[\p{L}_])|::(?=[\p{L}_])|\?\.(?=[\p{L}_[])/uy);
    if (arrow !== undefined) {
      const start = scanner.index;
      scanner.index += arrow.length - 1;
      scanner.errors.add('wrong-operator', scanner.span(start, scanner.index + 1), {
        written: arrow,
        operator: '.',
      });
    } else if (scanner.next !== '.' && scanner.next !== '[') break;
    if (scanner.peek(/\.[\p{L}_]+\(/uy) !== undefined) break;
    const next = scanner.next === '[' ? bracketStep(scanner) : nameStep(scanner);
    if (next === undefined) return undefined;
    found.push(next);
  }
  return found;
}

/** NameStep := `.` FieldName */
function nameStep(scanner: Scanner): Step | undefined {
  const start = scanner.index;
  scanner.index += 1;
  const name = scanner.match(fieldName);
  if (name === '$') {
    pathError(scanner, start, "the field's name after the dot, without $, or ['$'] for a field of that name");
    return undefined;
  }
  if (name !== undefined && !/^\d+$/.test(name)) return { kind: 'name', name };
  if (name !== undefined) {
    pathError(scanner, start, `[${name}] for an element, or ['${name}'] for a field of that name`);
    return undefined;
  }
  if (scanner.take('*')) {
    pathError(scanner, start, '[*] for all elements');
    return undefined;
  }
  if (scanner.take('.')) {
    pathError(scanner, start, 'one dot and the name of each field on the way');
    return undefined;
  }
  pathError(scanner, start, "the name of a field after the dot, or ['any name']");
  return undefined;
}

/** BracketStep := `[` ( Integer | Quoted | `*` ) `]`, with optional white space inside */
function bracketStep(scanner: Scanner): Step | undefined {
  const start = scanner.index;
  scanner.index += 1;
  scanner.skipSpace();
  const step = bracketContent(scanner, start);
  if (step === undefined) return undefined;
  scanner.skipSpace();
  if (scanner.take(']')) return step;
  if (scanner.next === ':' || scanner.next === ',') {
    scanner.match(/[^\]()]*\]?/y);
    pathError(scanner, start, 'one number, one quoted name or * between the brackets');
    return undefined;
  }
  scanner.match(/[^\][()]*\]/y);
  pathError(scanner, start, '] after what is in the brackets');
  return undefined;
}

function bracketContent(scanner: Scanner, start: number): Step | undefined {
  if (atQuote(scanner)) {
    const name = quoted(scanner);
    return name === undefined ? undefined : { kind: 'name', name };
  }
  if (scanner.take('*')) return { kind: 'all' };
  const digits = scanner.match(/-?\d+/y);
  if (digits !== undefined) return indexStep(scanner, start, digits);
  const word = scanner.match(/[^\][()'"\s,?:]+/y);
  scanner.skipSpace();
  if (word === undefined || !scanner.take(']')) {
    const isEmpty = word === undefined && scanner.take(']');
    pathError(
      scanner,
      start,
      isEmpty
        ? '[*] for all elements, or [0] for the first one'
        : "[0], [-1] from the end, [*] for all elements, or ['any name']",
    );
    return undefined;
  }
  pathError(scanner, start, `[${quote(word, "'")}] for a field of that name`);
  return undefined;
}

function indexStep(scanner: Scanner, start: number, digits: string): Step | undefined {
  const index = Number(digits);
  if (!Number.isSafeInteger(index)) {
    scanner.match(/\s*\]/y);
    pathError(scanner, start, 'a smaller number');
    return undefined;
  }
  // -0 is the first element, like 0.
  return { kind: 'index', index: index === 0 ? 0 : index };
}

function pathWithoutRoot(scanner: Scanner, start: number): void {
  if (atQuote(scanner)) {
    const inside = quoted(scanner);
    if (inside === undefined) return;
    const field = /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(inside) ? `$.${inside}` : '$ or $.field';
    pathError(scanner, start, inside.startsWith('$') ? `${inside} without quotes` : field);
    return;
  }
  const written = scanner.match(/(?:[^\s,()\][]|\[[^\][()]*\])+/y);
  if (written === undefined) {
    pathError(scanner, start, '$ or $.field', 1);
    return;
  }
  const rest = written.replace(/^@?\.?/, '');
  const plain = /^[\p{L}_]/u.test(rest) ? `$.${rest}` : rest.startsWith('[') ? `$${rest}` : '$ or $.field';
  scanner.errors.add('path-without-root', scanner.span(start), { written, instead: plain });
}

/** Reports the text between a path and the end of its argument. */
function recoverInPath(scanner: Scanner, start: number): void {
  const end = scanner.index;
  if (scanner.match(/\.(?:size|length|count)\(\s*\)/iy) !== undefined) {
    const before = scanner.slice(Math.max(0, start - 80), start);
    const owner = /VALUE\(\s*([^,()\s]+)\s*,\s*$/.exec(before)?.[1] ?? '<fulfillment>';
    pathError(scanner, end, `SIZE(VALUE(${owner}, ${scanner.slice(start, end)}))`);
    return;
  }
  if (end === start + 1 && scanner.match(fieldName) !== undefined) {
    pathError(scanner, start, `$.${scanner.slice(end)}`);
    return;
  }
  scanner.skipSpace();
  const rest = scanner.index;
  scanner.match(/[^,)\]\s]+/y);
  pathError(
    scanner,
    rest,
    "['any name'] for a field whose name has other characters than letters and digits",
  );
}

function pathError(scanner: Scanner, start: number, instead: string, length?: number): void {
  const end = length === undefined ? scanner.index : start + length;
  scanner.errors.add('path-fault', scanner.span(start, end), {
    written: scanner.slice(start, end),
    instead,
  });
}

/** Prints the steps of a path, in the notation of both syntaxes. */
export function printSteps(path: Path): string {
  return path.map(printStep).join('');
}

function printStep(step: Step): string {
  if (step.kind === 'all') return '[*]';
  if (step.kind === 'index') return `[${step.index}]`;
  const plain = /^[\p{L}\p{M}\p{N}_@$-]+$/u.test(step.name) && !/^(?:\d+|\$)$/.test(step.name);
  return plain ? `.${step.name}` : `[${quote(step.name, "'")}]`;
}
