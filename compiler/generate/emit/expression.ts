/** Expressions as TypeScript. */
import type { FailureKind } from '../../../runtime/rest/failure.js';
import type { MailFailureKind } from '../../../runtime/smtp/failure.js';
import type {
  Comparison,
  ComparisonOperator,
  EnvironmentVariable,
  Expression,
  Kind,
  Path,
  Template,
} from '../plan/model.js';
import { contains, isParameter, mapParts, parts, readsRequest } from '../plan/model.js';
import { presenceIn, stricterOf } from '../plan/presence.js';
import { camelCase, upperFirst } from '../plan/names/identifiers.js';
import { behind } from './narrowing.js';
import {
  arrow,
  array,
  binary,
  call,
  coalesce,
  differs,
  elseNull,
  equals,
  field,
  literal,
  member,
  method,
  missing,
  name,
  not,
  nothing,
  object,
  template,
  wait,
  type Code,
  type Name,
  parameter,
} from '../code/code.js';
import {
  argument,
  mayBeUndefined,
  type EmittedExpression,
  type RowType,
} from './module/emitted-expression.js';
import { comparison, comparisonOfTimes } from './comparison.js';
import type { Module } from './module/module.js';
import { mayBeDigits, readCode, readPath, sizeOfRows, type Helper } from './path-access.js';
import { codeTypeOf } from './module/type-text.js';
import { orNull } from './types/known-value.js';
import { isOfRequest } from './of-request.js';
import { functionsModule } from './service/function-types.js';
import type { Binding, ElementBinding, Scope } from './scope.js';

/** An expression as a value; `by` is `exact` for values bound to statements. */
export function emitExpression(expression: Expression, scope: Scope, by: Helper = 'get'): EmittedExpression {
  switch (expression.kind) {
    case 'text':
    case 'number':
    case 'boolean':
      return { code: literal(expression.value), type: expression.kind, constant: expression.value };
    case 'null':
      return nullCode;
    case 'param':
      return readPath(
        readCode(
          scope.reads.param(expression.name, method(theCall, 'param', literal(expression.name))),
          scope.request?.params.get(expression.name),
          false,
        ),
        expression.path,
        scope.module,
        by,
      );
    case 'sent':
      return { code: method(theCall, expression.place, literal(expression.name)), type: 'json' };
    case 'query-map':
      return { code: call(scope.module.runtime('queryMap'), theCall), type: 'json', kinds: onlyObject };
    case 'body':
      return emitBody(expression.path, scope, by);
    case 'caller':
      return readPath(
        { code: member(theCall, 'caller'), type: 'json', kinds: objectOrNull },
        expression.path,
        scope.module,
        by,
      );
    case 'value':
      return emitValue(bindingOf(expression.name, scope), expression.path, scope, by);
    case 'element': {
      const element = elementOf(scope);
      return readOnce(
        readPath(elementCode(element, expression.path, scope, by), expression.path, scope.module, by),
        element,
        expression.path,
        scope,
      );
    }
    case 'result':
      return emitResult(bindingOf(expression.name, scope));
    case 'size':
      return emitSize(emitExpression(expression.of, scope), scope.module);
    case 'comparison':
      return emitComparison(expression, expression.operator, scope);
    case 'logical': {
      // `news != null && news.size() >= 3` is equivalent to its second operand.
      const only = expression.operator === '&&' ? stricterOf(expression.left, expression.right) : undefined;
      if (only !== undefined) return emitExpression(only, scope);
      const left = emitCondition(expression.left, scope);
      const right = emitCondition(
        expression.right,
        behind(expression.left, expression.operator === '&&', scope),
      );
      return { code: binary(expression.operator, left, right), type: 'boolean' };
    }
    case 'not':
      return emitNot(expression.operand, scope);
    case 'value-by-index': {
      const index = emitExpression(expression.index, scope);
      const stored = scope.indexes.get(expression.name);
      if (stored === undefined) throw new Error(`No result of '${expression.name}' has an index.`);
      const code = lookedUp(expression, method(stored.code, 'get', argument(index)), scope);
      const found = { ...codeOf(stored), code };
      return readPath(found, expression.path, scope.module, by);
    }
    case 'list':
      return { code: emitElements(expression, scope, 'LIST').code, type: 'list' };
    case 'status':
      return scope.statuses.get(expression.name) ?? { code: nothing, type: 'status' };
    case 'failure':
      return {
        ...textOrNull(scope.responses.get(expression.name), (variable) => member(variable, 'failure')),
        words: failures,
      };
    case 'status-by-index':
      return { code: outcomeByIndex('status', expression, scope), type: 'status' };
    case 'failure-by-index': {
      const code = outcomeByIndex('failure', expression, scope);
      return { code, type: 'json', kinds: new Set(['string', 'null']), words: failures };
    }
    case 'paging':
      return emitPaging(expression, scope);
    case 'next':
      return textOrNull(scope.nexts.get(expression.name), (variable) => variable);
    case 'response-header': {
      const header = literal(expression.header.toLowerCase());
      return textOrNull(scope.responses.get(expression.name), (variable) =>
        call(scope.module.runtime('responseHeader'), variable, header),
      );
    }
    case 'multipart-file':
      return emitFile(expression);
    case 'arithmetic': {
      const [left, right] = [expression.left, expression.right].map((part) => emitWhole(part, scope));
      if (left === undefined || right === undefined) throw new Error('An operation has two operands.');
      return { code: binary(expression.operator, left, right), type: 'number' };
    }
    case 'if-match': {
      const version = argument(emitExpression(expression.of, scope));
      return { code: call(scope.module.runtime('ifMatch'), theCall, version), type: 'boolean' };
    }
    case 'error':
      return emitError(expression.path, scope);
    case 'concat':
      return emitConcat(expression.parts, scope);
    case 'coalesce':
      return emitCoalesce(expression.parts, scope, by);
    case 'now':
      return {
        code: call(scope.module.runtime('now'), scope.isOfError === true ? errorIn(scope) : theCall),
        type: 'text',
      };
    case 'uuid':
      return { code: call(scope.module.runtime('uuid')), type: 'text' };
    case 'random': {
      const form = expression.form === 'hex' ? [literal('hex')] : [];
      return {
        code: call(scope.module.runtime('randomText'), literal(expression.bytes), ...form),
        type: 'text',
      };
    }
    case 'sha256':
      return emitOfText('sha256', 'string', expression.of, scope);
    case 'lower':
      return emitOfText('lowerCase', 'string', expression.of, scope);
    case 'length':
      return emitOfText('lengthOf', 'number', expression.of, scope);
    case 'hash': {
      const value = argument(emitExpression(expression.of, scope));
      return { code: wait(call(scope.module.runtime('hashPassword'), theCall, value)), type: 'text' };
    }
    case 'verify': {
      const values = [expression.value, expression.hash].map((part) => argument(emitExpression(part, scope)));
      return {
        code: wait(call(scope.module.runtime('verifyPassword'), theCall, ...values)),
        type: 'boolean',
      };
    }
    case 'token': {
      const { authentication, lifetime } = expression;
      const identifier = scope.authentications.get(authentication);
      if (identifier === undefined) throw new Error(`There is no authentication '${authentication}'.`);
      const issuer = scope.module.import('src/authentications', identifier);
      const claims = argument(emitExpression(expression.of, scope, 'exact'));
      const chosen = lifetime === undefined ? [] : [literal(lifetime.value)];
      return { code: wait(method(issuer, 'sign', claims, ...chosen)), type: 'text' };
    }
    case 'code': {
      const result = scope.functions.get(expression.function);
      if (result === undefined) throw new Error(`There is no function '${expression.function}'.`);
      const called = member(scope.module.import(functionsModule, 'functions'), expression.function);
      const callee = expression.input.some((one) => isOfRequest(one, scope))
        ? member(called, 'ofRequest')
        : called;
      const passed = expression.input.map((one) => argument(emitExpression(one, scope)));
      return readCode(call(callee, ...passed), result, false);
    }
    case 'outdated': {
      const hash = argument(emitExpression(expression.of, scope));
      return { code: call(scope.module.runtime('isOutdated'), hash), type: 'boolean' };
    }
    case 'address': {
      const code = call(scope.module.runtime('clientAddress'), theCall);
      return { code, type: 'json', kinds: textOrNothing };
    }
    case 'variable':
      return emitVariable(expression, scope);
  }
}

/** A function of strings, which is null for null, lists and objects. */
function emitOfText(
  helper: 'lengthOf' | 'lowerCase' | 'sha256',
  kind: 'number' | 'string',
  operand: Expression,
  scope: Scope,
): EmittedExpression {
  const value = emitExpression(operand, scope);
  const code = call(scope.module.runtime(helper), argument(value));
  if (value.type === 'text') return { code, type: kind === 'number' ? 'number' : 'text' };
  return { code, type: 'json', kinds: new Set([kind, 'null']) };
}

/** An operand of arithmetic: `whole(call.param('page'))`. */
function emitWhole(operand: Expression, scope: Scope): Code {
  const { code } = emitExpression(operand, scope);
  const isNumber = operand.kind === 'number' || operand.kind === 'arithmetic';
  return isNumber ? code : call(scope.module.runtime('whole'), code);
}

/** `env.get('COLOUR', 'blue')` */
function emitVariable({ name: variable, byDefault }: EnvironmentVariable, scope: Scope): EmittedExpression {
  const defaults = byDefault.map((one) => emitExpression(one, scope));
  const passed = [literal(variable), ...defaults.map((one) => one.code)];
  const code = method(scope.module.import('src/env', 'env'), 'get', ...passed);
  return byDefault.every(({ kind }) => kind === 'text') ? { code, type: 'text' } : { code, type: 'json' };
}

/** The parameter of every handler. */
export const theCall = name('call');

const nullCode: EmittedExpression = { code: nothing, type: 'null', constant: null };

const textOrNothing: ReadonlySet<Kind> = new Set(['string', 'null']);

const onlyObject: ReadonlySet<Kind> = new Set(['object']);

const objectOrNull: ReadonlySet<Kind> = new Set(['object', 'null']);

/** The status or failure of a request that is stored under an index. */
function outcomeByIndex(part: 'status' | 'failure', { name: of, index }: ByIndex, scope: Scope): Code {
  const stored = scope.outcomes[part].get(of);
  if (stored === undefined) throw new Error(`No ${part} of '${of}' has an index.`);
  return method(stored, 'get', argument(emitExpression(index, scope)));
}

/** An expression that reads a result, or a part of one, by its index. */
type ByIndex = Extract<Expression, { readonly index: Expression }>;

/** A result that an `item` looks up by its element alone may be a variable of the function that builds the item. */
function lookedUp({ name: result, index }: ByIndex, code: Code, { element, lookups }: Scope): Code {
  const isOfElement = contains(index, 'element') && !contains(index, 'value-by-index');
  if (element === undefined || lookups === undefined || !isOfElement) return code;
  const wished = `${camelCase(result, 'result')}Of${upperFirst(element.code.name)}`;
  return lookups.lookup(code, wished, [element.code]);
}

/** All files of a part, or a field of each: `call.files('photos').map((file) => file.name)`. */
function emitFiles(part: string, [step]: Path): EmittedExpression {
  const files = method(theCall, 'files', literal(part));
  if (step?.kind !== 'name') return { code: files, type: 'json' };
  const file = name('file');
  const code = method(files, 'map', arrow([parameter(file)], member(file, step.name)));
  return { code, type: 'json', kinds: new Set(['array']) };
}

/** The file itself, which can only be compared with null, or a field of the file. */
function emitFile({
  part,
  path: [step, ...others],
}: Extract<Expression, { kind: 'multipart-file' }>): EmittedExpression {
  if (step?.kind === 'all') return emitFiles(part, others);
  const file = method(theCall, 'file', literal(part));
  if (step?.kind !== 'name') return { code: file, type: 'json' };
  const kinds = new Set<Kind>([step.name === 'size' ? 'number' : 'string', 'null']);
  return { code: elseNull(member(file, step.name, true)), type: 'json', kinds };
}

const failures: ReadonlySet<string> = new Set<FailureKind | MailFailureKind>([
  ...(['unreachable', 'timeout', 'tooLarge', 'unreadable', 'deferred', 'refused'] as const),
]);

/** A fact about a page; null if the list may not have been read. */
function emitPaging(
  { name: of, fact, relation }: Extract<Expression, { kind: 'paging' }>,
  scope: Scope,
): EmittedExpression {
  const variable = scope.paging.get(of)?.get(fact);
  if (variable === undefined) return nullCode;
  const { code, nullable } = variable;
  const kinds = new Set<Kind>([fact === 'total' || fact === 'pages' ? 'number' : 'string', 'null']);
  if (fact !== 'link') return { code, type: 'json', kinds };
  const url = member(code, relation ?? 'header', nullable);
  return { code: nullable ? elseNull(url) : url, type: 'json', kinds };
}

/** The string, or null if the request may not have been sent. */
function textOrNull(variable: Name | undefined, read: (variable: Name) => Code): EmittedExpression {
  if (variable === undefined) return nullCode;
  return { code: read(variable), type: 'json', kinds: new Set(['string', 'null']) };
}

/** The parameter of the function that builds an error body; renamed if the handler has a variable called `error`. */
export function errorIn({ names }: Scope): Name {
  return names.shared('error', 'Facts');
}

/** A property of the error that a body describes. */
function emitError(path: Path, scope: Scope): EmittedExpression {
  const { module } = scope;
  const error = errorIn(scope);
  const [step, ...rest] = path;
  const type = step?.kind === 'name' ? errorTypes.get(step.name) : undefined;
  if (step?.kind !== 'name' || type === undefined)
    return readPath({ code: error, type: 'json' }, path, module);
  const part: EmittedExpression = { code: member(error, step.name), type };
  if (step.name === 'faults' && rest.length === 0) return { ...part, kinds: new Set(['array']) };
  return readPath(part, rest, module);
}

const errorTypes: ReadonlyMap<string, EmittedExpression['type']> = new Map([
  ...([
    ['status', 'number'],
    ['title', 'text'],
    ['message', 'text'],
    ['requestId', 'text'],
  ] as const),
  ...([
    ['code', 'json'],
    ['faults', 'json'],
    ['byName', 'json'],
  ] as const),
]);

function emitConcat(parts: readonly Expression[], scope: Scope): EmittedExpression {
  const texts = withTexts(parts);
  const constant = isFixed(texts) ? { constant: texts.join('') } : {};
  return { code: emitTemplate(parts, scope), type: 'text', ...constant };
}

/** `a ?? b`, up to the first value that is never null. */
function emitCoalesce(parts: readonly Expression[], scope: Scope, by: Helper): EmittedExpression {
  const codes: EmittedExpression[] = [];
  const reached = parts.filter((part) => !scope.unreached.has(part));
  for (const [index, part] of reached.entries()) {
    const code = emitExpression(
      afterNulls(part, reached.slice(0, index).flatMap(alternatives), scope),
      scope,
      by,
    );
    if (code.type === 'null' && index < reached.length - 1) continue;
    codes.push(code);
    // TypeScript rejects `'none' ?? b`.
    if (isScalar(code)) break;
  }
  const last = codes.at(-1);
  const [first = last] = codes;
  if (first === undefined || last === undefined) return nullCode;
  // `coalesce(news) == null` tests the list itself, not whether it has rows.
  if (codes.length === 1) return { ...first, missing: undefined };
  // TypeScript rejects the null in `a ?? null ?? b`.
  const isNullAtEnd = last.type === 'null';
  const [start = first.code, ...others] = (isNullAtEnd ? codes.slice(0, -1) : codes).map(argument);
  const code = coalesce(start, ...others);
  const end = codes.findIndex(isNeverNull);
  const typed = end === -1 ? codes : codes.slice(0, end + 1);
  const kinds = kindsOfFirst(typed);
  const words = wordsOf(typed);
  return {
    code: isNullAtEnd || mayBeUndefined(last) ? elseNull(code) : code,
    type: isScalar(first) && typed.every(({ type }) => type === first.type) ? first.type : 'json',
    ...(kinds && { kinds }),
    ...(words && { words }),
  };
}

/** The possible strings of these expressions according to their TypeScript types; undefined if unknown. */
function wordsOf(codes: readonly EmittedExpression[]): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  for (const code of codes) {
    if (kindsOf(code)?.has('string') === false) continue;
    const words = typeof code.constant === 'string' ? [code.constant] : code.words;
    if (words === undefined) return undefined;
    for (const word of words) found.add(word);
  }
  return found;
}

function isScalar({ type }: EmittedExpression): boolean {
  return type === 'text' || type === 'number' || type === 'boolean';
}

function isNeverNull(code: EmittedExpression): boolean {
  return kindsOf(code)?.has('null') === false;
}

/** The possible kinds of the first non-null value according to the TypeScript types; undefined if unknown. */
function kindsOfFirst(codes: readonly EmittedExpression[]): ReadonlySet<Kind> | undefined {
  const all = codes.map(kindsOf);
  if (all.includes(undefined)) return undefined;
  const found = new Set(all.slice(0, -1).flatMap((kinds) => [...(kinds ?? [])]));
  found.delete('null');
  return new Set([...found, ...(all.at(-1) ?? [])]);
}

function kindsOf(expression: EmittedExpression): ReadonlySet<Kind> | undefined {
  const { type, kinds, nullable } = expression;
  const known = kindsOfType[type] ?? kinds;
  const mayBeNull = nullable === true || mayBeUndefined(expression);
  return known && mayBeNull ? new Set([...known, 'null']) : known;
}

const kindsOfType: Partial<Record<EmittedExpression['type'], ReadonlySet<Kind>>> = {
  text: new Set(['string']),
  number: new Set(['number']),
  boolean: new Set(['boolean']),
  null: new Set(['null']),
  status: new Set(['number', 'null']),
  rows: new Set(['array']),
  list: new Set(['array']),
  row: new Set(['object']),
  object: new Set(['object']),
};

/**
 * The expression, given that other expressions are null. TypeScript has narrowed variables and their fields by then, and rejects reading a
 * field of null or comparing it.
 */
function afterNulls(expression: Expression, nulls: readonly Expression[], scope: Scope): Expression {
  const read = readOf(expression, scope);
  const isNull = nulls.some((other) => {
    const outer = readOf(other, scope);
    return outer !== undefined && outer.of === read?.of && isBeginning(outer.path, read.path);
  });
  if (isNull) return { kind: 'null', span: expression.span };
  const mapped = mapParts(expression, (part) => afterNulls(part, nulls, scope));
  const before = parts(expression);
  // Facts about an expression are looked up by identity, so unchanged expressions are returned as they are.
  return parts(mapped).every((part, index) => part === before[index]) ? expression : mapped;
}

/** The expressions that are all null if this expression is null. */
function alternatives(expression: Expression): readonly Expression[] {
  return expression.kind === 'coalesce' ? expression.parts.flatMap(alternatives) : [expression];
}

/** The variable or call property that an expression reads, and the path into it; undefined for other expressions. */
function readOf(
  expression: Expression,
  scope: Scope,
): { readonly of: Code | string; readonly path: Path } | undefined {
  switch (expression.kind) {
    case 'body':
    case 'caller':
      return { of: `call.${expression.kind}`, path: expression.path };
    case 'param':
      return { of: `param ${expression.name}`, path: expression.path };
    case 'element':
      return { of: elementOf(scope).code, path: expression.path };
    case 'value':
    case 'result': {
      const { code, type } = bindingOf(expression.name, scope);
      const path = expression.kind === 'value' ? expression.path : [];
      // For rows, `$.id` and `$[0].id` are the same value.
      const isOfFirst = (type === 'rows' || type === 'first') && path[0]?.kind === 'name';
      return { of: code, path: isOfFirst ? [{ kind: 'index', index: 0 }, ...path] : path };
    }
    default:
      return undefined;
  }
}

function isBeginning(path: Path, whole: Path): boolean {
  return path.every((step, index) => {
    const other = whole[index];
    if (step.kind === 'name') return other?.kind === 'name' && other.name === step.name;
    if (step.kind === 'index') return other?.kind === 'index' && other.index === step.index;
    return other?.kind === 'all';
  });
}

/** The request body. Values that need a helper are stored in a constant; fields are read directly each time. */
function bodyCode({ request }: Scope): EmittedExpression {
  return readCode(member(theCall, 'body'), request?.body, false);
}

function emitBody(path: Path, scope: Scope, by: Helper): EmittedExpression {
  const code = readPath(bodyCode(scope), path, scope.module, by);
  return code.isSearched === true ? { ...code, code: scope.reads.body(path, code.code) } : code;
}

function emitComparison(
  expression: Comparison,
  operator: ComparisonOperator,
  scope: Scope,
): EmittedExpression {
  const presence = presenceIn({ ...expression, operator });
  const row = presence && scope.results.get(presence.name);
  if (presence !== undefined && row?.type === 'first') {
    const code = presence.isThere ? differs(row.code, missing) : equals(row.code, missing);
    return { code, type: 'boolean' };
  }
  const [left, right] = [emitExpression(expression.left, scope), emitExpression(expression.right, scope)];
  if (scope.times.has(expression)) return comparisonOfTimes(operator, left, right, scope.module);
  return comparison(operator, left, right, scope.module, scope.settled.has(expression));
}

/** `!(a == b)` becomes `a != b` and `!!a` becomes `a`; `!(a < b)` is not `a >= b`, because both are false for values without an order. */
function emitNot(negated: Expression, scope: Scope): EmittedExpression {
  if (negated.kind === 'comparison' && negated.operator === '==') return emitComparison(negated, '!=', scope);
  if (negated.kind === 'comparison' && negated.operator === '!=') return emitComparison(negated, '==', scope);
  if (negated.kind === 'not') return { code: emitCondition(negated.operand, scope), type: 'boolean' };
  return { code: not(emitCondition(negated, scope)), type: 'boolean' };
}

/** An expression as a condition: a value without an operator is true if it is `true` or the string `true`. */
export function emitCondition(expression: Expression, scope: Scope): Code {
  const value = emitExpression(expression, scope);
  const isBoolean = value.type === 'boolean' || (value.kinds?.size === 1 && value.kinds.has('boolean'));
  // After a constant condition, TypeScript would report unreachable code and narrow variables too far.
  return isBoolean && value.constant === undefined
    ? value.code
    : call(scope.module.runtime('isTrue'), argument(value));
}

/** A string with placeholders: values are converted to strings, null to an empty string. */
export function emitTemplate(written: Template, scope: Scope): Code {
  const texts = withTexts(written);
  if (isFixed(texts)) return literal(texts.join(''));
  return template(texts.map((part) => (typeof part === 'string' ? part : emitText(part, scope))));
}

/** A value as a part of a template literal. */
export function emitText(part: Expression, scope: Scope): Code {
  const value = emitExpression(part, scope);
  return isPlain(value) ? value.code : call(scope.module.runtime('textOf'), argument(value));
}

/** The template with its constants converted to strings. */
function withTexts(written: Template): Template {
  return written.flatMap(withoutConcat).map((part) => {
    if (typeof part === 'string') return part;
    if (part.kind === 'null') return '';
    return part.kind === 'text' || part.kind === 'number' ? String(part.value) : part;
  });
}

function isFixed(texts: Template): texts is readonly string[] {
  return texts.every((part) => typeof part === 'string');
}

function withoutConcat(part: Template[number]): Template {
  return typeof part !== 'string' && part.kind === 'concat' ? part.parts.flatMap(withoutConcat) : [part];
}

/** Whether a template literal formats the value as required: null as an empty string, objects as JSON. */
function isPlain({ type, kinds }: EmittedExpression): boolean {
  if (type === 'text' || type === 'number' || type === 'boolean') return true;
  return kinds !== undefined && [...kinds].every((kind) => plainKinds.has(kind));
}

const plainKinds: ReadonlySet<Kind> = new Set(['boolean', 'number', 'string']);

function codeOf({ code, type, nullable, row, read }: Binding): EmittedExpression {
  if (read !== undefined) {
    const value = nullable ? orNull(read) : read;
    return { code, type: codeTypeOf(value.type), kinds: value.type.kinds, read: value };
  }
  return { code, type: type === 'first' ? 'row' : type, nullable, row };
}

/** A path that starts with a name reads the current row; a path that starts with an index reads the list. */
function emitValue(binding: Binding, path: Path, scope: Scope, by: Helper): EmittedExpression {
  const { module } = scope;
  const [step, ...rest] = path;
  if (binding.type === 'first') return emitFirst(binding, step?.kind === 'index' ? rest : path, module);
  const start =
    binding.entry !== undefined && step?.kind === 'name'
      ? binding.entry
      : elementCode(binding, path, scope, by);
  return readOnce(readPath(start, path, module, by), binding, path, scope);
}

/** The loop element. If statements bind whole elements, its numbers keep all digits, so all other code converts it first. */
function elementCode(binding: Binding, path: Path, { module }: Scope, by: Helper): EmittedExpression {
  const element = codeOf(binding);
  if (binding.isExact !== true || (by === 'exact' && path.length === 0)) return element;
  return { ...element, code: call(module.runtime('plainValue'), element.code) };
}

/** A value of a loop element that needs a helper is read once per iteration. */
function readOnce(value: EmittedExpression, binding: Binding, path: Path, scope: Scope): EmittedExpression {
  const { code: variable } = binding;
  // Reading every element of a list is expensive, so the read stays where it is needed.
  const isOnce = binding.isInLoop === true && value.isSearched === true && variable.kind === 'name';
  if (!isOnce || path.some(({ kind }) => kind === 'all')) return value;
  return { code: scope.reads.element({ variable, path }, value.code), type: value.type };
}

function emitFirst(binding: Binding, path: Path, module: Module): EmittedExpression {
  const { code, presence } = binding;
  if (presence === 'missing') return nullCode;
  const isThere = presence === 'there';
  if (path.length > 0) return readPath({ ...codeOf(binding), nullable: !isThere }, path, module);
  const { row } = binding;
  return { code: isThere ? code : elseNull(code), type: 'object', row };
}

/** In syntax B, `name` alone is the list of rows; comparing it with null tests whether it is empty. */
function emitResult(binding: Binding): EmittedExpression {
  const code = codeOf(binding);
  return binding.type === 'rows' ? { ...code, missing: { size: sizeOfRows(code), max: 0 } } : code;
}

function emitSize(of: EmittedExpression, module: Module): EmittedExpression {
  if (of.type === 'rows' || isList(of)) return sizeOfRows(of);
  if (of.type === 'null') return { code: literal(0), type: 'number', constant: 0 };
  return { code: call(module.runtime('size'), argument(of)), type: 'number' };
}

function bindingOf(fulfillment: string, scope: Scope): Binding {
  const binding = scope.results.get(fulfillment);
  if (binding === undefined) throw new Error(`The result of '${fulfillment}' is read where it is not known.`);
  return binding;
}

function elementOf(scope: Scope): ElementBinding {
  if (scope.element === undefined) throw new Error("'@' is read where there is no element.");
  return scope.element;
}

/** An array and its element type. */
export interface Elements {
  readonly code: Code;
  readonly type: 'row' | 'json' | 'number';
  readonly row?: RowType | undefined;
  /** Whether numbers that do not fit a double are kept exactly instead of as a string of digits. */
  readonly isExact?: boolean;
}

/** The array of a LOOP or a `list`, and its element type. `owner` is for the log; `isBound` means that statements bind whole elements. */
export function emitElements(list: Expression, scope: Scope, owner: string, isBound = false): Elements {
  if (list.kind === 'list') {
    const count = emitExpression(list.count, scope);
    const origin = count.constant === undefined ? [originOf(list, owner)] : [];
    return { code: call(scope.module.runtime('list'), argument(count), ...origin), type: 'number' };
  }
  const value = emitExpression(list, scope);
  if (value.type === 'rows') return { code: rowsOf(value), type: 'row', row: value.row };
  const isExact = isBound && mayBeDigits(value.read?.type.element?.kinds);
  if (isList(value) && !isExact) return { code: value.code, type: 'json' };
  const elements = scope.module.runtime(isExact ? 'exactElements' : 'elements');
  // A parameter always has elements.
  const origin = isParameter(list) ? object([field('isParameter', literal(true))]) : originOf(list, owner);
  return { code: call(elements, argument(value), origin), type: 'json', isExact };
}

/** Whether TypeScript knows that the value is an array. */
function isList({ code, kinds }: EmittedExpression): boolean {
  return kinds?.size === 1 && kinds.has('array') && code.kind !== 'binary';
}

/** The rows as an array, empty if there is no result. */
export function rowsOf({ code, nullable }: EmittedExpression): Code {
  return nullable === true ? coalesce(code, array([])) : code;
}

function originOf(list: Expression, owner: string): Code {
  const isOfRequest = readsRequest(list) ? [field('fromRequest', literal(true))] : [];
  return object([field('name', literal(owner)), ...isOfRequest]);
}
