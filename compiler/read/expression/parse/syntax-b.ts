/** Parses Syntax B: dotted references, as in `param.id == 'x' && news.size() > 0`. */
import { Arguments } from './arguments.js';
import { nearest } from '../../diagnostics/suggest.js';
import { pageRelations, type Expression, type Path, type Place } from '../ast.js';
import { callOf, functionsInB } from '../functions.js';
import { exactNumber, isNumber } from '../numbers.js';
import { disjunction, parenthesised } from './operators.js';
import { relationOf } from './page-relation.js';
import { steps } from './path.js';
import { atQuote, quoted } from './quoted.js';
import type { Scanner } from './scanner.js';
import { functionInB, recoverInB, wrongCase } from './recovery-b.js';

/** The first word of a reference: `param`, `header`, `query`, `cookie`, `body`, `caller`, or a fulfillment name. */
const identifier = /[\p{L}_](?:[\p{L}\p{M}\p{N}_]|-(?!>))*/uy;

/** Expression := Disjunction over operands of Syntax B */
export function expressionB(scanner: Scanner): Expression | undefined {
  return disjunction(scanner, operandB);
}

/** Operand := `(` Expression `)` | Function | Text | Number | Element | Literal | Param | Body | Fulfillment */
export function operandB(scanner: Scanner): Expression | undefined {
  if (scanner.next === '(') return parenthesised(scanner, operandB);
  if (atQuote(scanner)) return text(scanner);
  if (scanner.peek(/-?\.?\d/y) !== undefined) return number(scanner);
  const start = scanner.index;
  if (scanner.take('@')) return reference(scanner, start, (path) => ({ kind: 'element', path }));
  const word = scanner.match(identifier);
  if (word === undefined) return recoverInB(scanner);
  if (scanner.peek(/\s*\(/y) !== undefined) return functionCall(scanner, word, start);
  return literal(scanner, word, start) ?? wrongCase(scanner, word, start) ?? named(scanner, word, start);
}

/** Function := ( `concat` | `coalesce` | `now` | `uuid` | `env` | `multipart_file` … ) `(` Arguments `)` Step* SizeCall? */
function functionCall(scanner: Scanner, word: string, start: number): Expression | undefined {
  const rule = functionsInB.get(word);
  if (rule === undefined) return functionInB(scanner, word, start);
  scanner.skipSpace();
  const open = scanner.index;
  scanner.index += 1;
  const call = callOf(rule, new Arguments(scanner, rule, open, expressionB), start);
  if (call?.kind !== 'multipart-file') return call && sizeCall(scanner, start, call);
  return reference(scanner, start, (path) => ({ ...call, path: [...call.path, ...path] }));
}

/** Text := Quoted */
function text(scanner: Scanner): Expression | undefined {
  const start = scanner.index;
  const value = quoted(scanner);
  return value === undefined ? undefined : { kind: 'text', value, span: scanner.span(start) };
}

/** Number := a JSON number without loss of precision */
function number(scanner: Scanner): Expression {
  const start = scanner.index;
  const written = scanner.match(/-?\.?\d(?:[eE][+-]\d|[\p{L}\p{N}_.])*/uy) ?? '';
  const value = isNumber(written) ? exactNumber(written) : undefined;
  if (value !== undefined) return { kind: 'number', value, span: scanner.span(start) };
  const whole = written.replace(/^(-?)\./, '$10.');
  const instead = whole !== written && isNumber(whole) ? whole : `'${written}'`;
  const why = isNumber(written) ? 'has digits that a JSON number would lose' : 'is not a number';
  scanner.errors.add('wrong-constant', scanner.span(start), {
    written,
    why,
    instead,
    isExample: false,
    call: undefined,
  });
  return scanner.errorNode(start);
}

/** Literal := `true` | `false` | `null` */
function literal(scanner: Scanner, word: string, start: number): Expression | undefined {
  if (scanner.next === '.' || scanner.next === '[') return undefined;
  if (word === 'null') return { kind: 'null', span: scanner.span(start) };
  if (word !== 'true' && word !== 'false') return undefined;
  return { kind: 'boolean', value: word === 'true', span: scanner.span(start) };
}

/** Named := Param | Sent | Body | Caller | Fulfillment */
function named(scanner: Scanner, word: string, start: number): Expression | undefined {
  if (word === 'param') return param(scanner, start);
  if (word === 'body') return reference(scanner, start, (path) => ({ kind: 'body', path }));
  const isName = scanner.names?.has(word) === true;
  if (!isName && isPlace(word)) return sent(scanner, word, start);
  if (!isName && word === 'caller') return reference(scanner, start, (path) => ({ kind: 'caller', path }));
  const nameSpan = scanner.span(start);
  return reference(scanner, start, (path) =>
    path.length === 0
      ? { kind: 'result', name: word, nameSpan }
      : { kind: 'value', name: word, nameSpan, path },
  );
}

/** Param := `param` ( `.` Name | `[` Quoted `]` ) Step* SizeCall? */
function param(scanner: Scanner, start: number): Expression | undefined {
  const found = steps(scanner);
  if (found === undefined) return undefined;
  const [first, ...path] = found;
  if (first?.kind !== 'name') {
    scanner.errors.add('parameter-name', scanner.span(start), {
      written: scanner.slice(start),
      place: 'param',
    });
    return undefined;
  }
  return sizeCall(scanner, start, { kind: 'param', name: first.name, path, span: scanner.span(start) });
}

function isPlace(word: string): word is Place {
  return word === 'header' || word === 'query' || word === 'cookie';
}

/** Sent := `query` | ( `header` | `query` | `cookie` ) ( `.` Name | `[` Quoted `]` ) SizeCall? */
function sent(scanner: Scanner, place: Place, start: number): Expression | undefined {
  const found = steps(scanner);
  if (found === undefined) return undefined;
  const [first, ...rest] = found;
  if (first === undefined && place === 'query') return { kind: 'query-map', span: scanner.span(start) };
  if (first?.kind !== 'name' || rest.length > 0) {
    scanner.errors.add('parameter-name', scanner.span(start), { written: scanner.slice(start), place });
    return rest.length > 0 ? scanner.errorNode(start) : undefined;
  }
  return sizeCall(scanner, start, { kind: 'sent', place, name: first.name, span: scanner.span(start) });
}

type WithoutSpan<E = Expression> = E extends Expression ? Omit<E, 'span'> : never;

/** Reference := ( `body` | `caller` | `@` | Name ) Step* SizeCall? */
function reference(
  scanner: Scanner,
  start: number,
  make: (path: Path) => WithoutSpan,
): Expression | undefined {
  const path = steps(scanner);
  if (path === undefined) return undefined;
  return sizeCall(scanner, start, { ...make(path), span: scanner.span(start) });
}

/** SizeCall := `.size` `(` `)`; after the name of a fulfillment also `.next` `(` `)` and PagingCall */
function sizeCall(scanner: Scanner, start: number, of: Expression): Expression | undefined {
  if (scanner.next !== '.') return of;
  const dot = scanner.index;
  if (of.kind === 'result' && scanner.match(/\.next\(\s*\)/y) !== undefined)
    return { kind: 'next', name: of.name, nameSpan: of.nameSpan, span: scanner.span(start) };
  const paging = of.kind === 'result' ? pagingCall(scanner, start, of) : undefined;
  if (paging !== undefined) return paging;
  if (scanner.match(/\.size\(\s*\)/y) !== undefined) return { kind: 'size', of, span: scanner.span(start) };
  // A function call cannot be followed by a path.
  if (scanner.match(/\.[\p{L}_]+\([^()[\]]*\)?/uy) === undefined) scanner.match(/\.[^\s,()[\]]*/y);
  scanner.errors.add('unknown-method', scanner.span(dot), {
    ...{ written: scanner.slice(dot), owner: scanner.slice(start, dot) },
  });
  return scanner.errorNode(start);
}

/** PagingCall := ( `.total` | `.pages` | `.previous` | `.link` ) `(` `)` | `.link` `(` Quoted `)` */
function pagingCall(
  scanner: Scanner,
  start: number,
  { name, nameSpan }: Extract<Expression, { kind: 'result' }>,
): Expression | undefined {
  const found = scanner.match(/\.(?:total|pages|previous|link)\(\s*\)/y);
  const fact = (['total', 'pages', 'previous', 'link'] as const).find((one) => found?.startsWith(`.${one}`));
  if (fact !== undefined)
    return { kind: 'paging', fact, relation: undefined, name, nameSpan, span: scanner.span(start) };
  const call = scanner.peek(/\.link\(\s*(?:'[^'()]*'|"[^"()]*")\s*\)/y);
  if (call === undefined) return undefined;
  const at = scanner.index + call.search(/['"]/);
  const argument = call.slice(call.search(/['"]/), -1).trimEnd();
  scanner.match(/\.link\([^()]*\)/y);
  const relation = relationOf(argument);
  if (relation !== undefined)
    return { kind: 'paging', fact: 'link', relation, name, nameSpan, span: scanner.span(start) };
  const written = argument.slice(1, -1);
  scanner.errors.add('link-relation', scanner.span(at + 1, at + 1 + written.length), {
    written,
    nearest: nearest(written, pageRelations),
  });
  return scanner.errorNode(start);
}
