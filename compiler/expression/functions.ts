/** The functions of Syntax A, as the specification's table lists them, with those of decisions 3. */
import type { Place } from '../source.js';
import type { Arguments, Usage } from './arguments.js';
import type { Expression, Path } from './ast.js';
import { listCount } from './list-count.js';
import { boolean, decimal, integer, text } from './literals.js';
import { name, type Name, type Owner } from './name-argument.js';
import { path } from './path.js';
import type { Scanner } from './scanner.js';

/** The tree of a function but for its place, which is known only after its closing parenthesis. */
type Unplaced<E = Expression> = E extends Expression ? Omit<E, 'place'> : never;

export interface FunctionRule extends Usage {
  /** Reads the arguments and the closing parenthesis; undefined after a mistake. */
  readonly read: (given: Arguments) => Unplaced | undefined;
}

/** What functions give; the other kinds are written with signs, or alone. */
type FunctionKind = Exclude<Expression['kind'], 'element' | 'result' | 'comparison' | 'logical' | 'not'>;

/** The functions by what they give: without one for a kind this does not compile. */
const byKind: Readonly<Record<FunctionKind, Readonly<Record<string, FunctionRule>>>> = {
  param: { PARAM: { form: 'PARAM(<name>)', mend: mendParam, read: param } },
  body: { BODY: { form: 'BODY() or BODY($.field)', read: body } },
  value: { VALUE: { form: 'VALUE(<name>, <path>)', mend: mendValue, read: value } },
  'value-by-index': {
    VALUE_BY_INDEX: { form: 'VALUE_BY_INDEX(<name>, <index>, <path>)', read: valueByIndex },
  },
  text: { TEXT: { form: 'TEXT(<characters>)', read: textConstant } },
  number: {
    INTEGER: { form: 'INTEGER(<digits>)', read: (given) => number(given, integer) },
    DECIMAL: { form: 'DECIMAL(<number>)', read: (given) => number(given, decimal) },
  },
  boolean: { BOOLEAN: { form: 'BOOLEAN(true) or BOOLEAN(false)', read: booleanConstant } },
  null: { NULL: { form: 'NULL()', read: (given) => (given.end() ? { kind: 'null' } : undefined) } },
  list: { LIST: { form: 'LIST(<number>)', mend: mendList, read: list } },
  size: { SIZE: { form: 'SIZE(<value>)', read: size } },
  'multipart-file': { MULTIPART_FILE: { form: 'MULTIPART_FILE(<part name>)', read: multipartFile } },
  status: { STATUS: { form: 'STATUS(<fulfillment>)', read: status } },
};

/** Every function by its name. */
export const functions: ReadonlyMap<string, FunctionRule> = new Map(
  Object.values(byKind).flatMap((named) => Object.entries(named)),
);

/** Param := `PARAM` `(` Name `)` */
function param(given: Arguments): Unplaced | undefined {
  const found = nameArgument(given, 'parameter');
  return given.end() && found ? { kind: 'param', name: found.value, path: [] } : undefined;
}

/** Body := `BODY` `(` Path? `)` */
function body(given: Arguments): Unplaced | undefined {
  const steps = given.empty ? [] : given.next(pathArgument);
  return given.end() && steps ? { kind: 'body', path: steps } : undefined;
}

/** Value := `VALUE` `(` ( Name | `@` | `BODY` `(` `)` | `PARAM` `(` Name `)` ) `,` Path `)` */
function value(given: Arguments): Unplaced | undefined {
  // A path alone: which result it leads into is missing.
  if (given.scanner.peek(/\s*\$[^,()]*\)/y) !== undefined) {
    given.refuse();
    return undefined;
  }
  const source = given.next(valueSource);
  const steps = given.next(pathArgument);
  if (!given.end() || source === undefined || steps === undefined) return undefined;
  if (typeof source === 'string') return { kind: source, path: steps };
  if ('parameter' in source) return { kind: 'param', name: source.parameter, path: steps };
  return { kind: 'value', ...placed(given, source), path: steps };
}

function valueSource(
  scanner: Scanner,
): Name | { readonly parameter: string } | 'element' | 'body' | undefined {
  if (scanner.match(/@(?=\s*(?:[,)]|$))/y) !== undefined) return 'element';
  if (scanner.match(/BODY\s*\(\s*\)(?=\s*(?:[,)]|$))/y) !== undefined) return 'body';
  return parameterSource(scanner) ?? name(scanner, 'fulfillment');
}

/** `PARAM(filter)` as what a path leads into; undefined, and nothing read, where something else stands there. */
function parameterSource(scanner: Scanner): { readonly parameter: string } | undefined {
  const start = scanner.index;
  const attempt = scanner.attempt(start);
  if (attempt.match(/PARAM\s*\(\s*/y) === undefined) return undefined;
  const parameter = name(attempt, 'parameter');
  attempt.skipSpace();
  if (parameter === undefined || attempt.failed || !attempt.take(')')) return undefined;
  if (attempt.peek(/\s*(?:[,)]|$)/y) === undefined) return undefined;
  scanner.index = attempt.index;
  return { parameter: parameter.value };
}

/** ValueByIndex := `VALUE_BY_INDEX` `(` Name `,` Expression `,` Path `)` */
function valueByIndex(given: Arguments): Unplaced | undefined {
  const source = nameArgument(given, 'fulfillment');
  const index = given.nextExpression();
  const steps = given.next(pathArgument);
  if (!given.end() || source === undefined || index === undefined || steps === undefined) return undefined;
  return { kind: 'value-by-index', ...placed(given, source), index, path: steps };
}

/** TextConstant := `TEXT` `(` Text? `)` */
function textConstant(given: Arguments): Unplaced | undefined {
  const found = given.empty ? '' : text(given.scanner);
  return found !== undefined && given.end() ? { kind: 'text', value: found } : undefined;
}

/** NumberConstant := ( `INTEGER` `(` Integer | `DECIMAL` `(` Decimal ) `)` */
function number(given: Arguments, read: (scanner: Scanner) => number): Unplaced | undefined {
  const found = given.next(read);
  return given.end() && found !== undefined ? { kind: 'number', value: found } : undefined;
}

/** BooleanConstant := `BOOLEAN` `(` Boolean `)` */
function booleanConstant(given: Arguments): Unplaced | undefined {
  const found = given.next(boolean);
  return given.end() && found !== undefined ? { kind: 'boolean', value: found } : undefined;
}

/** List := `LIST` `(` ( digits | Expression ) `)` */
function list(given: Arguments): Unplaced | undefined {
  const count = given.next((scanner) => listCount(scanner, given.expression));
  return given.end() && count ? { kind: 'list', count } : undefined;
}

/** Size := `SIZE` `(` Expression `)` */
function size(given: Arguments): Unplaced | undefined {
  const of = given.nextExpression();
  return given.end() && of ? { kind: 'size', of } : undefined;
}

/** MultipartFile := `MULTIPART_FILE` `(` Name `)` */
function multipartFile(given: Arguments): Unplaced | undefined {
  const part = nameArgument(given, 'part');
  return given.end() && part ? { kind: 'multipart-file', part: part.value } : undefined;
}

/** Status := `STATUS` `(` Name `)` */
function status(given: Arguments): Unplaced | undefined {
  const source = nameArgument(given, 'fulfillment');
  return given.end() && source ? { kind: 'status', ...placed(given, source) } : undefined;
}

function nameArgument(given: Arguments, owner: Owner): Name | undefined {
  return given.next((scanner) => name(scanner, owner));
}

/** A path; after a mistake in it the argument's end is found, and an empty path stands for it. */
function pathArgument(scanner: Scanner): Path | undefined {
  const found = path(scanner);
  if (found !== undefined || scanner.unclosed) return found;
  scanner.match(/[^(),\]]+/y);
  return scanner.atEnd ? undefined : [];
}

function placed(given: Arguments, { value, start, end }: Name): { name: string; namePlace: Place } {
  return { name: value, namePlace: given.scanner.place(start, end) };
}

/** `LIST(0, 10)` is what other languages call a range: it has to begin with 0. */
function mendList(written: string): string | undefined {
  const [, count] = /^0\s*,\s*(\d+)$/.exec(written) ?? [];
  return count === undefined ? undefined : `LIST(${count})`;
}

/** `PARAM(limit, 20)` has a default, as in other languages. */
function mendParam(written: string): string | undefined {
  const [, parameter] = /^([\p{L}_][\p{L}\p{N}_.-]*)\s*,/u.exec(written) ?? [];
  return parameter === undefined ? undefined : `PARAM(${parameter})`;
}

/** `VALUE(news)` lacks the path of the whole result, `VALUE(news.title)` has it in the wrong argument. */
function mendValue(written: string): string | undefined {
  const [, source, field] = /^([\p{L}\p{N}_@-]+)(?:\.([\p{L}\p{N}_.-]*))?$/u.exec(written) ?? [];
  const [, owner, steps] = /^\$\.([\p{L}\p{N}_-]+)((?:\.[\p{L}\p{N}_-]+|\[[^\][]*\])+)$/u.exec(written) ?? [];
  if (owner !== undefined && steps !== undefined) return `VALUE(${owner}, $${steps})`;
  if (source === undefined)
    return /^,?\s*\$/.test(written) ? `VALUE(<fulfillment>, ${written.replace(/^,\s*/, '')})` : undefined;
  return `VALUE(${source}, ${field ? `$.${field}` : '$'})`;
}
