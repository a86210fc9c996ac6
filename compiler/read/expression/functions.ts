/** The functions of Syntax A: their arguments, and their equivalents in Syntax B. */
import type { Span } from '../source.js';
import type { Arguments, Signature } from './parse/arguments.js';
import { nearest } from '../diagnostics/suggest.js';
import {
  pageRelations,
  type Expression,
  type PageFact,
  type PageRelation,
  type Path,
  type Place,
  type Syntax,
} from './ast.js';
import { nodeKinds, ownType, type OwnType } from './node-kinds.js';
import { boolean, decimal, integer, text } from './parse/literals.js';
import { name, skipArgument, type Name, type Owner } from './parse/name-argument.js';
import { relationOf } from './parse/page-relation.js';
import { path } from './parse/path.js';
import type { Production, Scanner } from './parse/scanner.js';
import { isConstant } from './visit.js';

/** A function node without its span, which is known only after the closing parenthesis. */
type WithoutSpan<E = Expression> = E extends Expression ? Omit<E, 'span'> : never;

export interface FunctionRule extends Signature {
  /** The name in Syntax B; undefined if Syntax B does not have this function. */
  readonly inB?: string;
  /** Parses the arguments and the closing parenthesis; undefined after an error. */
  readonly read: (args: Arguments) => WithoutSpan | undefined;
}

/** The kinds of expressions created by functions; other kinds are operators or single words. */
type FunctionKind = Exclude<
  Expression['kind'],
  'element' | 'result' | 'query-map' | 'arithmetic' | 'comparison' | 'logical' | 'not'
>;

/** The functions by the kind of expression that they create. A kind without a function fails to compile. */
const byKind: Readonly<Record<FunctionKind, Readonly<Record<string, FunctionRule>>>> = {
  param: { PARAM: { form: 'PARAM(<name>)', fix: fixParam, read: param } },
  sent: {
    HEADER: { form: 'HEADER(<name>)', fix: fixHeader, read: (args) => sent(args, 'header') },
    QUERY: {
      form: 'QUERY(<name>) or QUERY()',
      read: (args) => (args.empty ? withoutArguments(args, 'query-map') : sent(args, 'query')),
    },
    COOKIE: { form: 'COOKIE(<name>)', read: (args) => sent(args, 'cookie') },
  },
  body: { BODY: { form: 'BODY() or BODY($.field)', read: (args) => rooted(args, 'body') } },
  caller: { CALLER: { form: 'CALLER() or CALLER($.field)', read: (args) => rooted(args, 'caller') } },
  value: { VALUE: { form: 'VALUE(<name>, <path>)', fix: fixValue, read: value } },
  'value-by-index': {
    VALUE_BY_INDEX: {
      form: 'VALUE_BY_INDEX(<name>, <index>, <path>)',
      fix: fixValueByIndex,
      read: valueByIndex,
    },
  },
  text: { TEXT: { form: 'TEXT(<characters>)', read: textConstant } },
  number: {
    INTEGER: { form: 'INTEGER(<digits>)', read: (args) => number(args, integer) },
    DECIMAL: { form: 'DECIMAL(<number>)', read: (args) => number(args, decimal) },
  },
  boolean: { BOOLEAN: { form: 'BOOLEAN(true) or BOOLEAN(false)', read: booleanConstant } },
  null: { NULL: { form: 'NULL()', read: (args) => withoutArguments(args, 'null') } },
  list: { LIST: { form: 'LIST(<number>)', fix: fixList, read: list } },
  size: { SIZE: { form: 'SIZE(<value>)', read: (args) => ofValue(args, 'size') } },
  'multipart-file': {
    MULTIPART_FILE: {
      form: 'MULTIPART_FILE(<part name>) or MULTIPART_FILE(<part name>, $.name)',
      inB: "multipart_file('<part name>')",
      read: multipartFile,
    },
  },
  status: { STATUS: { form: 'STATUS(<fulfillment>)', read: (args) => ofFulfillment(args, 'status') } },
  failure: { FAILURE: { form: 'FAILURE(<fulfillment>)', read: (args) => ofFulfillment(args, 'failure') } },
  'status-by-index': {
    STATUS_BY_INDEX: {
      form: 'STATUS_BY_INDEX(<fulfillment>, <index>)',
      read: (args) => outcomeByIndex(args, 'status-by-index'),
    },
  },
  'failure-by-index': {
    FAILURE_BY_INDEX: {
      form: 'FAILURE_BY_INDEX(<fulfillment>, <index>)',
      read: (args) => outcomeByIndex(args, 'failure-by-index'),
    },
  },
  next: { NEXT: { form: 'NEXT(<fulfillment>)', read: (args) => ofFulfillment(args, 'next') } },
  paging: {
    TOTAL: { form: 'TOTAL(<fulfillment>)', read: (args) => ofPage(args, 'total') },
    PAGES: { form: 'PAGES(<fulfillment>)', read: (args) => ofPage(args, 'pages') },
    PREVIOUS: { form: 'PREVIOUS(<fulfillment>)', read: (args) => ofPage(args, 'previous') },
    LINK: { form: 'LINK(<fulfillment>) or LINK(<fulfillment>, next)', read: link },
  },
  'response-header': {
    RESPONSE_HEADER: { form: 'RESPONSE_HEADER(<fulfillment>, <name>)', read: responseHeader },
  },
  concat: {
    CONCAT: {
      form: 'CONCAT(<value>, …)',
      inB: 'concat(<value>, …)',
      read: (args) => several(args, 'concat'),
    },
  },
  coalesce: {
    COALESCE: {
      form: 'COALESCE(<value>, …)',
      inB: 'coalesce(<value>, …)',
      read: (args) => several(args, 'coalesce'),
    },
  },
  now: { NOW: { form: 'NOW()', inB: 'now()', read: (args) => withoutArguments(args, 'now') } },
  uuid: {
    UUID: { form: 'UUID()', inB: 'uuid()', read: (args) => withoutArguments(args, 'uuid') },
  },
  random: {
    RANDOM: {
      form: 'RANDOM(<bytes>) or RANDOM(<bytes>, hex)',
      inB: "random(<bytes>) or random(<bytes>, 'hex')",
      read: random,
    },
  },
  sha256: {
    SHA256: { form: 'SHA256(<value>)', inB: 'sha256(<value>)', read: (args) => ofValue(args, 'sha256') },
  },
  length: {
    LENGTH: { form: 'LENGTH(<value>)', inB: 'length(<value>)', read: (args) => ofValue(args, 'length') },
  },
  lower: {
    LOWER: { form: 'LOWER(<value>)', inB: 'lower(<value>)', read: (args) => ofValue(args, 'lower') },
  },
  hash: { HASH: { form: 'HASH(<value>)', inB: 'hash(<value>)', read: (args) => ofValue(args, 'hash') } },
  verify: {
    VERIFY: { form: 'VERIFY(<value>, <hash>)', inB: 'verify(<value>, <hash>)', read: verify },
  },
  outdated: {
    OUTDATED: {
      form: 'OUTDATED(<hash>)',
      inB: 'outdated(<hash>)',
      read: (args) => ofValue(args, 'outdated'),
    },
  },
  token: {
    TOKEN: {
      form: 'TOKEN(<authentication>, <claims>) or TOKEN(<authentication>, <claims>, TEXT(<lifetime>))',
      inB: "token('<authentication>', <claims>) or token('<authentication>', <claims>, '<lifetime>')",
      read: token,
    },
  },
  code: {
    CODE: {
      form: 'CODE(<function>, <value>, …)',
      inB: "code('<function>', <value>, …)",
      read: functionCall,
    },
  },
  address: {
    ADDRESS: { form: 'ADDRESS()', inB: 'address()', read: (args) => withoutArguments(args, 'address') },
  },
  'if-match': {
    IF_MATCH: {
      form: 'IF_MATCH(<value>)',
      inB: 'if_match(<value>)',
      read: (args) => ofValue(args, 'if-match'),
    },
  },
  error: { ERROR: { form: 'ERROR($.message)', read: (args) => rooted(args, 'error') } },
  variable: {
    ENV: { form: 'ENV(<NAME>) or ENV(<NAME>, <default>)', inB: "env('<NAME>')", read: variable },
  },
};

/** All functions by name. */
export const functions: ReadonlyMap<string, FunctionRule> = new Map(
  Object.values(byKind).flatMap((named) => Object.entries(named)),
);

/** The functions available in Syntax B, by their names there. */
export const functionsInB: ReadonlyMap<string, FunctionRule> = new Map(
  [...functions].flatMap(([name, rule]) =>
    rule.inB === undefined ? [] : [[name.toLowerCase(), { ...rule, form: rule.inB }]],
  ),
);

/** Parses a function call that begins at `start`. Returns an error node if the arguments are invalid but their end is known. */
export function callOf(rule: FunctionRule, args: Arguments, start: number): Expression | undefined {
  const found = rule.read(args);
  if (found !== undefined) return { ...found, span: args.scanner.span(start) };
  return args.closed ? args.scanner.errorNode(start) : undefined;
}

function namesOf(...origins: readonly string[]): readonly string[] {
  return Object.entries(byKind).flatMap(([kind, named]) =>
    origins.includes(nodeKinds[kind as FunctionKind].from) ? Object.keys(named) : [],
  );
}

/** Functions that read a value of the request, the caller or a result, such as PARAM. */
export const readingFunctions = namesOf('request', 'caller', 'result');

/** Functions that create a constant, such as TEXT. */
export const constantFunctions = namesOf('constant');

/** Param := `PARAM` `(` Name `)` */
function param(args: Arguments): WithoutSpan | undefined {
  const found = nameArgument(args, 'parameter');
  return args.end() && found ? { kind: 'param', name: found.value, path: [] } : undefined;
}

/** Sent := ( `HEADER` | `QUERY` | `COOKIE` ) `(` Name `)` */
function sent(args: Arguments, place: Place): WithoutSpan | undefined {
  const found = nameArgument(args, place);
  return args.end() && found ? { kind: 'sent', place, name: found.value } : undefined;
}

/** Rooted := ( `BODY` | `CALLER` | `ERROR` ) `(` Path? `)` */
function rooted(args: Arguments, kind: 'body' | 'caller' | 'error'): WithoutSpan | undefined {
  const steps = args.empty ? [] : args.next(pathArgument);
  return args.end() && steps ? { kind, path: steps } : undefined;
}

/** OfValue := ( `SIZE` | `IF_MATCH` | `SHA256` | `LENGTH` | `LOWER` | `HASH` | `OUTDATED` ) `(` Expression `)` */
function ofValue(
  args: Arguments,
  kind: 'size' | 'if-match' | 'sha256' | 'length' | 'lower' | 'hash' | 'outdated',
): WithoutSpan | undefined {
  const of = args.nextExpression();
  return args.end() && of ? { kind, of } : undefined;
}

/** OfFulfillment := ( `STATUS` | `FAILURE` | `NEXT` ) `(` Name `)` */
function ofFulfillment(args: Arguments, kind: 'status' | 'failure' | 'next'): WithoutSpan | undefined {
  const source = nameArgument(args, 'fulfillment');
  return args.end() && source ? { kind, ...withNameSpan(args, source) } : undefined;
}

/** OfPage := ( `TOTAL` | `PAGES` | `PREVIOUS` ) `(` Name `)` */
function ofPage(args: Arguments, fact: PageFact): WithoutSpan | undefined {
  const source = nameArgument(args, 'fulfillment');
  if (!args.end() || source === undefined) return undefined;
  return { kind: 'paging', fact, relation: undefined, ...withNameSpan(args, source) };
}

/** Link := `LINK` `(` Name ( `,` Relation )? `)` */
function link(args: Arguments): WithoutSpan | undefined {
  const source = nameArgument(args, 'fulfillment');
  const relation = args.hasMore ? args.next(relationArgument) : undefined;
  if (!args.end() || source === undefined || relation === null) return undefined;
  return { kind: 'paging', fact: 'link', relation, ...withNameSpan(args, source) };
}

/** A relation, which may be quoted; null after a reported error. */
function relationArgument(scanner: Scanner): PageRelation | null {
  const start = scanner.index;
  skipArgument(scanner);
  const written = scanner.slice(start).trimEnd();
  const found = relationOf(written);
  if (found !== undefined) return found;
  const word = written.replace(/^(['"])(.*)\1$/, '$2');
  const at = word === written ? start : start + 1;
  scanner.errors.add('link-relation', scanner.span(at, at + word.length), {
    written: word,
    nearest: nearest(word, pageRelations),
  });
  return null;
}

/** Verify := `VERIFY` `(` Expression `,` Expression `)` */
function verify(args: Arguments): WithoutSpan | undefined {
  const value = args.nextExpression();
  const hash = args.nextExpression();
  return args.end() && value && hash ? { kind: 'verify', value, hash } : undefined;
}

/** Token := `TOKEN` `(` Name `,` Expression ( `,` Text )? `)` */
function token(args: Arguments): WithoutSpan | undefined {
  const authentication = nameArgument(args, 'authentication');
  const of = args.nextExpression();
  const third = args.hasMore ? args.nextExpression() : undefined;
  if (!args.end() || authentication === undefined || of === undefined) return undefined;
  const { value: name, start, end } = authentication;
  if (third !== undefined && third.kind !== 'text') {
    args.scanner.errors.add('lifetime-argument', third.span);
    return undefined;
  }
  const authenticationSpan = args.scanner.span(start, end);
  return { kind: 'token', authentication: name, authenticationSpan, of, lifetime: third };
}

/** FunctionCall := `CODE` `(` Name ( `,` Expression )* `)` */
function functionCall(args: Arguments): WithoutSpan | undefined {
  const called = nameArgument(args, 'function');
  const input: Expression[] = [];
  while (args.hasMore) {
    const value = args.nextExpression();
    if (value !== undefined) input.push(value);
  }
  if (!args.end() || called === undefined) return undefined;
  const { value: name, start, end } = called;
  return { kind: 'code', function: name, functionSpan: args.scanner.span(start, end), input };
}

/** Random := `RANDOM` `(` digits ( `,` ( `hex` | Quoted ) )? `)`; in Syntax B, `hex` is a quoted string */
function random(args: Arguments): WithoutSpan | undefined {
  const syntax = args.signature.form.startsWith('random') ? 'B' : 'A';
  const bytes = args.next((scanner) =>
    constantArgument(scanner, { argument: 'bytes', syntax }, (written) => {
      const count = /^\d{1,3}$/.test(written) ? Number(written) : 0;
      return count >= minRandom && count <= maxRandom ? count : undefined;
    }),
  );
  const forms = syntax === 'A' ? ['hex', "'hex'", '"hex"'] : ["'hex'", '"hex"'];
  const form = args.hasMore
    ? args.next((scanner) =>
        constantArgument(scanner, { argument: 'form', syntax }, (written) =>
          forms.includes(written) ? ('hex' as const) : undefined,
        ),
      )
    : 'base64url';
  return args.end() && bytes && form ? { kind: 'random', bytes, form } : undefined;
}

/** The numbers of bytes that RANDOM can have: fewer can be guessed, more have no use. */
const [minRandom, maxRandom] = [16, 64] as const;

/** A constant argument of RANDOM; null after a reported error. */
function constantArgument<Value>(
  scanner: Scanner,
  place: { readonly argument: 'bytes' | 'form'; readonly syntax: Syntax },
  read: (written: string) => Value | undefined,
): Value | null {
  const start = scanner.index;
  skipArgument(scanner);
  const written = scanner.slice(start).trimEnd();
  const value = read(written);
  if (value !== undefined) return value;
  const span = scanner.span(start, start + written.length);
  scanner.errors.add('random-argument', span, { written, ...place, min: minRandom, max: maxRandom });
  return null;
}

/** WithoutArguments := ( `NULL` | `NOW` | `UUID` | `ADDRESS` | `QUERY` ) `(` `)` */
function withoutArguments(
  args: Arguments,
  kind: 'null' | 'now' | 'uuid' | 'address' | 'query-map',
): WithoutSpan | undefined {
  return args.end() ? { kind } : undefined;
}

/** Value := `VALUE` `(` ( Name | `@` | `BODY` `(` `)` | `PARAM` `(` Name `)` ) `,` Path `)` */
function value(args: Arguments): WithoutSpan | undefined {
  // The only argument (valid or not), or both arguments in the wrong order.
  if (
    args.scanner.peek(/(?:(?:[^(),"'=<>!&|]|\([^()]*\))+|\s*\$[^,()]*,\s*[\p{L}\p{N}_@-]+\s*)\)/uy) !==
    undefined
  ) {
    args.refuse();
    return undefined;
  }
  const source = args.next(valueSource);
  const steps = args.next(pathArgument);
  if (!args.end() || source === undefined || steps === undefined) return undefined;
  if (typeof source === 'string') return { kind: source, path: steps };
  if ('parameter' in source) return { kind: 'param', name: source.parameter, path: steps };
  return { kind: 'value', ...withNameSpan(args, source), path: steps };
}

function valueSource(
  scanner: Scanner,
): Name | { readonly parameter: string } | 'element' | 'body' | undefined {
  if (scanner.match(/@(?=\s*(?:[,)]|$))/y) !== undefined) return 'element';
  if (scanner.match(/BODY\s*\(\s*\)(?=\s*(?:[,)]|$))/y) !== undefined) return 'body';
  return parameterSource(scanner) ?? name(scanner, 'fulfillment');
}

/** `PARAM(filter)` as the source of a path; undefined (with nothing read) for anything else. */
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
function valueByIndex(args: Arguments): WithoutSpan | undefined {
  if (args.scanner.peek(/\s*(?:\$|\d+\s*,)/y) !== undefined) {
    args.refuse();
    return undefined;
  }
  const source = nameArgument(args, 'fulfillment');
  const index = args.nextExpression();
  const steps = args.next(pathArgument);
  if (!args.end() || source === undefined || index === undefined || steps === undefined) return undefined;
  return { kind: 'value-by-index', ...withNameSpan(args, source), index, path: steps };
}

/** OutcomeByIndex := ( `STATUS_BY_INDEX` | `FAILURE_BY_INDEX` ) `(` Name `,` Expression `)` */
function outcomeByIndex(
  args: Arguments,
  kind: 'status-by-index' | 'failure-by-index',
): WithoutSpan | undefined {
  const source = nameArgument(args, 'fulfillment');
  const index = args.nextExpression();
  if (!args.end() || source === undefined || index === undefined) return undefined;
  return { kind, ...withNameSpan(args, source), index };
}

/** TextConstant := `TEXT` `(` Text? `)` */
function textConstant(args: Arguments): WithoutSpan | undefined {
  const found = args.empty ? '' : text(args.scanner);
  return found !== undefined && args.end() ? { kind: 'text', value: found } : undefined;
}

/** NumberConstant := ( `INTEGER` `(` Integer | `DECIMAL` `(` Decimal ) `)` */
function number(args: Arguments, read: (scanner: Scanner) => number): WithoutSpan | undefined {
  const found = args.next(read);
  return args.end() && found !== undefined ? { kind: 'number', value: found } : undefined;
}

/** BooleanConstant := `BOOLEAN` `(` Boolean `)` */
function booleanConstant(args: Arguments): WithoutSpan | undefined {
  const found = args.next(boolean);
  return args.end() && found !== undefined ? { kind: 'boolean', value: found } : undefined;
}

/** List := `LIST` `(` ( digits | Expression ) `)` */
function list(args: Arguments): WithoutSpan | undefined {
  const count = args.next((scanner) => listCount(scanner, args.expression));
  return args.end() && count ? { kind: 'list', count } : undefined;
}

/** MultipartFile := `MULTIPART_FILE` `(` Name ( `,` Path )? `)` */
function multipartFile(args: Arguments): WithoutSpan | undefined {
  const part = nameArgument(args, 'part');
  const steps = args.hasMore ? args.next(pathArgument) : [];
  return args.end() && part && steps ? { kind: 'multipart-file', part: part.value, path: steps } : undefined;
}

/** ResponseHeader := `RESPONSE_HEADER` `(` Name `,` Name `)` */
function responseHeader(args: Arguments): WithoutSpan | undefined {
  const source = nameArgument(args, 'fulfillment');
  const header = nameArgument(args, 'header');
  if (!args.end() || source === undefined || header === undefined) return undefined;
  return { kind: 'response-header', ...withNameSpan(args, source), header: header.value };
}

/** Several := ( `CONCAT` | `COALESCE` ) `(` Expression ( `,` Expression )* `)` */
function several(args: Arguments, kind: 'concat' | 'coalesce'): WithoutSpan | undefined {
  const parts: Expression[] = [];
  do {
    const part = args.nextExpression();
    if (part !== undefined) parts.push(part);
  } while (args.hasMore);
  return args.end() ? { kind, parts } : undefined;
}

/** Variable := `ENV` `(` Name ( `,` Expression )? `)` */
function variable(args: Arguments): WithoutSpan | undefined {
  const found = nameArgument(args, 'variable');
  const byDefault = args.hasMore ? args.nextExpression() : undefined;
  if (!args.end() || found === undefined) return undefined;
  const { value: written, start, end } = found;
  if (byDefault !== undefined && !isConstant(byDefault)) {
    args.scanner.errors.add('default-not-constant', byDefault.span);
    return undefined;
  }
  if (/^[A-Za-z_]\w*$/.test(written))
    return { kind: 'variable', name: written, byDefault: byDefault === undefined ? [] : [byDefault] };
  if (written !== '')
    args.scanner.errors.add('malformed-name', args.scanner.span(start, end), { owner: 'variable', written });
  return undefined;
}

function nameArgument(args: Arguments, owner: Owner): Name | undefined {
  return args.next((scanner) => name(scanner, owner));
}

/** Parses a path. After an error, skips to the end of the argument and returns an empty path. */
function pathArgument(scanner: Scanner): Path | undefined {
  const found = path(scanner);
  if (found !== undefined || scanner.unclosed) return found;
  scanner.match(/[^(),\]]+/y);
  return scanner.atEnd ? undefined : [];
}

function withNameSpan(args: Arguments, { value, start, end }: Name): { name: string; nameSpan: Span } {
  return { name: value, nameSpan: args.scanner.span(start, end) };
}

/** `HEADER(repos, link)`: response headers are read by a different function. */
function fixHeader(written: string): string | undefined {
  const name = '([\\p{L}_][\\p{L}\\p{N}_-]*)';
  const [, source, header] = new RegExp(`^${name}\\s*,\\s*${name}$`, 'u').exec(written) ?? [];
  return source === undefined || header === undefined ? undefined : `RESPONSE_HEADER(${source}, ${header})`;
}

/** Other languages use `LIST(0, 10)` for a range; fixable if the range begins with 0. */
function fixList(written: string): string | undefined {
  const [, count] = /^0\s*,\s*(\d+)$/.exec(written) ?? [];
  return count === undefined ? undefined : `LIST(${count})`;
}

/** Other languages use `PARAM(limit, 20)` for a default value. */
function fixParam(written: string): string | undefined {
  const [, parameter] = /^([\p{L}_][\p{L}\p{N}_.-]*)\s*,/u.exec(written) ?? [];
  return parameter === undefined ? undefined : `PARAM(${parameter})`;
}

/** `VALUE(news)` lacks the path of the whole result; `VALUE(news.title)` has the path in the wrong argument. */
function fixValue(written: string): string | undefined {
  const [, first, second] = /^(\$[^,()]*?)\s*,\s*([\p{L}\p{N}_@-]+)$/u.exec(written) ?? [];
  if (first !== undefined && second !== undefined) return `VALUE(${second}, ${first})`;
  // `VALUE(PARAM(filter) $.size)` lacks the comma.
  const [, source, field = ''] =
    /^([\p{L}\p{N}_@-]+|PARAM\s*\([^()]*\)|BODY\s*\(\s*\))\s*\$?((?:\.[\p{L}\p{N}_-]+|\[[^\][]*\])*)\.?$/u.exec(
      written,
    ) ?? [];
  const [, owner, steps] = /^\$\.([\p{L}\p{N}_-]+)((?:\.[\p{L}\p{N}_-]+|\[[^\][]*\])+)$/u.exec(written) ?? [];
  if (owner !== undefined && steps !== undefined) return `VALUE(${owner}, $${steps})`;
  if (source === undefined)
    return /^,?\s*\$/.test(written) ? `VALUE(<fulfillment>, ${written.replace(/^,\s*/, '')})` : undefined;
  return `VALUE(${source}, $${field})`;
}

/** Fixes the order of three arguments, as in `0, news, $.id` or `$.id, news, 0`. */
function fixValueByIndex(written: string): string | undefined {
  const parts = written.split(',').map((part) => part.trim());
  const path = parts.find((part) => /^\$[^()]*$/.test(part));
  const index = parts.find((part) => /^\d+$/.test(part));
  const source = parts.find((part) => part !== path && part !== index);
  const isWhole = parts.length === 3 && source !== undefined && /^[\p{L}\p{N}_@-]+$/u.test(source);
  return isWhole && path !== undefined && index !== undefined
    ? `VALUE_BY_INDEX(${source}, ${index}, ${path})`
    : undefined;
}

/** The maximum number of elements, also the default of the service's `LOOP_LIMIT` setting. */
const maximum = 100_000;

/** ListCount := digits | Expression that can be an integer */
function listCount(scanner: Scanner, expression: Production): Expression | undefined {
  const start = scanner.index;
  const digits = scanner.match(/[+-]?\d[\d._]*(?=\s*(?:[,)]|$))/y);
  const count: Expression | undefined =
    digits === undefined
      ? scanner.nested(() => expression(scanner))
      : { kind: 'number', value: Number(digits), span: scanner.span(start) };
  if (count === undefined || isCount(count)) return count;
  const written = scanner.slice(start).trimEnd();
  scanner.errors.add('list-count', scanner.span(start, start + written.length), { written, maximum });
  return scanner.errorNode(start);
}

const countTypes: ReadonlySet<OwnType> = new Set(['string', 'integer', 'status', 'rows', 'unknown']);

function isCount(count: Expression): boolean {
  if (count.kind === 'number')
    return Number.isInteger(count.value) && count.value >= 0 && count.value <= maximum;
  if (count.kind === 'text') return /^\d{1,6}$/.test(count.value) && Number(count.value) <= maximum;
  return count.kind !== 'multipart-file' && countTypes.has(ownType(count));
}
