/** The constants of Syntax A: `TEXT`, `INTEGER`, `DECIMAL`, `BOOLEAN`. */
import { skipArgument } from './name-argument.js';
import { exactInteger, exactNumber, isNumber } from '../numbers.js';
import { atQuote, quote, quoted } from './quoted.js';
import type { Scanner } from './scanner.js';

/** Text := Quoted | characters up to the matching parenthesis, trimmed */
export function text(scanner: Scanner): string | undefined {
  if (!atQuote(scanner)) return rawText(scanner).trim();
  const value = quoted(scanner);
  if (value === undefined || scanner.peek(/\s*(?:[)\]]|$)/y) !== undefined) return value;
  scanner.skipSpace();
  const start = scanner.index;
  const rest = rawText(scanner).trimEnd();
  scanner.errors.add('text-after-quote', scanner.span(start, start + rest.length), { rest });
  return value;
}

/** Reads up to the matching `)`. */
function rawText(scanner: Scanner): string {
  const start = scanner.index;
  for (let open = 0; ; scanner.index += 1) {
    scanner.match(/[^()]+/y);
    if (scanner.atEnd || (open === 0 && scanner.next === ')')) return scanner.slice(start);
    open += scanner.next === '(' ? 1 : -1;
  }
}

/** Integer := `-`? digits, within ±(2^53−1) */
export function integer(scanner: Scanner): number {
  return constant<number>(scanner, 0, (written) => {
    if (!/^-?(?:0|[1-9]\d*)$/.test(written)) return wrongInteger(written);
    return (
      exactInteger(written) ?? {
        why: 'has digits that a JSON number would lose',
        instead: `TEXT(${written})`,
      }
    );
  });
}

function wrongInteger(written: string): Wrong {
  const why = 'is not an integer constant, such as 5 or -12';
  const digits = /^(['"]?)\+?(-?)0*([1-9]\d*|0)\1$/.exec(written);
  if (digits !== null) return { why, instead: `INTEGER(${digits[2] ?? ''}${digits[3] ?? ''})` };
  return {
    why,
    ...(isNumber(written) ? { instead: `DECIMAL(${written})` } : insteadOfConstant(written, 'INTEGER(5)')),
  };
}

/** Decimal := a JSON number without loss of precision */
export function decimal(scanner: Scanner): number {
  return constant<number>(scanner, 0, (written) => {
    if (!isNumber(written)) return wrongDecimal(written);
    return (
      exactNumber(written) ?? { why: 'has digits that a JSON number would lose', instead: `TEXT(${written})` }
    );
  });
}

function wrongDecimal(written: string): Wrong {
  const why = 'is not a decimal constant, such as 1.5 or -0.25';
  const comma = /^-?\d+,\d+$/.test(written) ? written.replace(',', '.') : undefined;
  const bare = written.replace(/^(['"])(.*)\1$/, '$2').replace(/^\+/, '');
  const dotted = bare.replace(/^(-?)\./, '$10.').replace(/\.$/, '');
  if (isNumber(comma ?? dotted)) return { why, instead: `DECIMAL(${comma ?? dotted})` };
  return { why, ...insteadOfConstant(written, 'DECIMAL(1.5)') };
}

/** Words for true and false in other languages. */
const words: Readonly<Record<string, string>> = {
  ...{ true: 'true', yes: 'true', on: 'true', '1': 'true' },
  ...{ false: 'false', no: 'false', off: 'false', '0': 'false' },
};

/** Boolean := `true` | `false` */
export function boolean(scanner: Scanner): boolean {
  return constant<boolean>(scanner, false, (written) => {
    if (written === 'true' || written === 'false') return written === 'true';
    const [, , bare = written] = /^(['"]?)(.*)\1$/s.exec(written) ?? [];
    const word = words[bare.toLowerCase()];
    const instead =
      word === undefined
        ? insteadOfConstant(written, 'BOOLEAN(true) or BOOLEAN(false)')
        : { instead: `BOOLEAN(${word})` };
    return { why: 'is neither true nor false', ...instead };
  });
}

interface Wrong {
  readonly why: string;
  readonly instead: string;
  /** True if `instead` is only an example. */
  readonly isExample?: true;
}

/** A function call needs no wrapper to be used as a value; for anything else, suggest an example. */
function insteadOfConstant(written: string, example: string): Pick<Wrong, 'instead' | 'isExample'> {
  return /^[A-Z][A-Z\d_]*\(.*\)$/s.test(written)
    ? { instead: written }
    : { instead: example, isExample: true };
}

/** Reads an argument. Reports an error in it and continues after it. */
function constant<T extends number | boolean>(
  scanner: Scanner,
  fallback: T,
  read: (written: string) => T | Wrong,
): T {
  const start = scanner.index;
  skipArgument(scanner);
  // A comma inside a number is a decimal comma, not a separator of arguments.
  if (scanner.match(/,(?=\d+\s*\))/y) !== undefined) skipArgument(scanner);
  const written = scanner.slice(start).trimEnd();
  const value = read(written);
  if (typeof value !== 'object') return value;
  scanner.errors.add('wrong-constant', scanner.span(start, start + written.length), {
    written,
    isExample: false,
    ...value,
    call: scanner.callAround(scanner.slice(0, start).lastIndexOf('(')),
  });
  return fallback;
}

/** Prints `TEXT(…)` for a value, with quotes only if necessary. */
export function printText(value: string): string {
  const plain =
    value === value.trim() &&
    !/^['"]/.test(value) &&
    !/\p{C}|\p{Zl}|\p{Zp}/u.test(value) &&
    isBalanced(value);
  return `TEXT(${plain ? value : quote(value, '"')})`;
}

function isBalanced(value: string): boolean {
  let open = 0;
  for (const character of value) {
    if (character === '(') open += 1;
    if (character === ')') open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}
