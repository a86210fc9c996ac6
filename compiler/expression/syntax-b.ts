/** Syntax B: dotted references, as in `param.id == 'x' && news.size() > 0`. Decisions 3.4 and 4.4. */
import type { Expression, Path } from './ast.js';
import { exactNumber, isNumber } from './numbers.js';
import { disjunction, parenthesised } from './operators.js';
import { steps } from './path.js';
import { atQuote, quoted } from './quoted.js';
import type { Scanner } from './scanner.js';
import { functionInB, strayInB, wrongCase } from './stray-b.js';

/** How a reference begins: `param`, `body`, or the name of a fulfillment. */
const identifier = /[\p{L}_](?:[\p{L}\p{M}\p{N}_]|-(?!>))*/uy;

/** Expression := Disjunction over operands of Syntax B */
export function expressionB(scanner: Scanner): Expression | undefined {
  return disjunction(scanner, operandB);
}

/** Operand := `(` Expression `)` | Text | Number | Element | Literal | Param | Body | Fulfillment */
export function operandB(scanner: Scanner): Expression | undefined {
  if (scanner.next === '(') return parenthesised(scanner, operandB);
  if (atQuote(scanner)) return text(scanner);
  if (scanner.peek(/-?\.?\d/y) !== undefined) return number(scanner);
  const start = scanner.index;
  if (scanner.take('@')) return reference(scanner, start, (path) => ({ kind: 'element', path }));
  const word = scanner.match(identifier);
  if (word === undefined) return strayInB(scanner);
  if (scanner.peek(/\s*\(/y) !== undefined) return functionInB(scanner, word, start);
  return literal(scanner, word, start) ?? wrongCase(scanner, word, start) ?? named(scanner, word, start);
}

/** Text := Quoted */
function text(scanner: Scanner): Expression | undefined {
  const start = scanner.index;
  const value = quoted(scanner);
  return value === undefined ? undefined : { kind: 'text', value, place: scanner.place(start) };
}

/** Number := a JSON number, no digit of which is lost */
function number(scanner: Scanner): Expression {
  const start = scanner.index;
  const written = scanner.match(/-?\.?\d(?:[eE][+-]\d|[\p{L}\p{N}_.])*/uy) ?? '';
  const value = isNumber(written) ? exactNumber(written) : undefined;
  if (value !== undefined) return { kind: 'number', value, place: scanner.place(start) };
  const whole = written.replace(/^(-?)\./, '$10.');
  const instead = whole !== written && isNumber(whole) ? whole : `'${written}'`;
  const why = isNumber(written) ? 'has digits that a JSON number would lose' : 'is not a number';
  scanner.mistakes.add('wrong-constant', scanner.place(start), {
    written,
    why,
    instead,
    isExample: false,
    call: undefined,
  });
  return scanner.standIn(start);
}

/** Literal := `true` | `false` | `null` */
function literal(scanner: Scanner, word: string, start: number): Expression | undefined {
  if (scanner.next === '.' || scanner.next === '[') return undefined;
  if (word === 'null') return { kind: 'null', place: scanner.place(start) };
  if (word !== 'true' && word !== 'false') return undefined;
  return { kind: 'boolean', value: word === 'true', place: scanner.place(start) };
}

/** Named := Param | Body | Fulfillment */
function named(scanner: Scanner, word: string, start: number): Expression | undefined {
  if (word === 'param') return param(scanner, start);
  if (word === 'body') return reference(scanner, start, (path) => ({ kind: 'body', path }));
  const namePlace = scanner.place(start);
  return reference(scanner, start, (path) =>
    path.length === 0
      ? { kind: 'result', name: word, namePlace }
      : { kind: 'value', name: word, namePlace, path },
  );
}

/** Param := `param` ( `.` Name | `[` Quoted `]` ) Step* SizeCall? */
function param(scanner: Scanner, start: number): Expression | undefined {
  const found = steps(scanner);
  if (found === undefined) return undefined;
  const [first, ...path] = found;
  if (first?.kind !== 'name') {
    scanner.mistakes.add('parameter-name', scanner.place(start), { written: scanner.slice(start) });
    return undefined;
  }
  return sizeCall(scanner, start, { kind: 'param', name: first.name, path, place: scanner.place(start) });
}

type Unplaced<E = Expression> = E extends Expression ? Omit<E, 'place'> : never;

/** Reference := ( `body` | `@` | Name ) Step* SizeCall? */
function reference(scanner: Scanner, start: number, make: (path: Path) => Unplaced): Expression | undefined {
  const path = steps(scanner);
  if (path === undefined) return undefined;
  return sizeCall(scanner, start, { ...make(path), place: scanner.place(start) });
}

/** SizeCall := `.size` `(` `)` */
function sizeCall(scanner: Scanner, start: number, of: Expression): Expression | undefined {
  if (scanner.next !== '.') return of;
  const dot = scanner.index;
  if (scanner.match(/\.size\(\s*\)/y) !== undefined) return { kind: 'size', of, place: scanner.place(start) };
  scanner.match(/\.[\p{L}_]+\([^()[\]]*\)?/uy);
  scanner.mistakes.add('unknown-method', scanner.place(dot), { written: scanner.slice(dot) });
  return scanner.standIn(start);
}
