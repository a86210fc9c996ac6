/** Constructors of code nodes: emitters build trees with these functions, and only the printer writes operators, brackets and quotes. */
import { awaits } from './code-parts.js';
import type {
  AnyNode,
  ArrayCode,
  Arrow,
  Binary,
  Blank,
  Block,
  Break,
  Call,
  Code,
  Comment,
  Conditional,
  Declaration,
  Doc,
  Exported,
  Field,
  FieldType,
  ForOf,
  FunctionDeclaration,
  Generic,
  If,
  Import,
  ImportedName,
  InterfaceDeclaration,
  Intersection,
  ListType,
  Literal,
  Made,
  Member,
  Name,
  ObjectCode,
  Operator,
  Parameter,
  Prefixed,
  RecordType,
  TupleType,
  Return,
  Run,
  Statement,
  Template,
  Throw,
  Try,
  Type,
  TypeDeclaration,
  TypeOf,
  Union,
} from './nodes.js';

export type * from './nodes.js';

/** The only function that turns an object into a node. */
function node<N extends AnyNode>(fields: Omit<N, keyof Made>): N {
  return fields as N;
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Throws unless the string is a single identifier, so that a name can never contain other code. */
export function name(text: string): Name {
  if (!identifier.test(text)) throw new Error(`'${text}' is no name in generated code.`);
  return node<Name>({ kind: 'name', name: text });
}

export function literal(value: Literal['value']): Literal {
  return node<Literal>({ kind: 'literal', value });
}

/** Any JSON value, with objects and arrays on one line. */
export function json(value: unknown): Code {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null)
    return literal(value);
  if (typeof value !== 'object') throw new Error(`A ${typeof value} is no JSON value.`);
  if (Array.isArray(value)) return array(value.map(json));
  return object(Object.entries(value).map(([key, inner]) => field(key, json(inner))));
}

/** `null`. */
export const nothing: Literal = literal(null);

/** `undefined`. */
export const missing: Name = name('undefined');

/** A template literal; the printer joins adjacent strings. */
export function template(parts: readonly (string | Code)[], tag?: Name): Template {
  return node<Template>({ kind: 'template', parts, tag });
}

export function member(object: Code, key: string | number, isOptional = false): Member {
  return node<Member>({ kind: 'member', object, key, isOptional });
}

export function call(callee: Code, ...args: readonly Code[]): Call {
  return node<Call>({ kind: 'call', callee, args, isNew: false });
}

/** `object.method(…)`. */
export function method(object: Code, key: string, ...args: readonly Code[]): Call {
  return call(member(object, key), ...args);
}

/** `new Callee(…)`. */
export function create(callee: Code, ...args: readonly Code[]): Call {
  return node<Call>({ kind: 'call', callee, args, isNew: true });
}

/** `import('./module.js')`. */
export function importOf(specifier: string): Call {
  return call(name('import'), literal(specifier));
}

/** Returns the function or type unchanged if there are no type arguments. */
export function generic<Of extends Name | Member>(of: Of, ...types: readonly Type[]): Of | Generic {
  return types.length === 0 ? of : node<Generic>({ kind: 'generic', of, types });
}

export function not(operand: Code): Prefixed {
  return node<Prefixed>({ kind: 'prefixed', operator: '!', operand });
}

/** `await promise`. */
export function wait(promise: Code): Prefixed {
  return node<Prefixed>({ kind: 'prefixed', operator: 'await', operand: promise });
}

export function binary(operator: Operator, left: Code, right: Code): Binary {
  return node<Binary>({ kind: 'binary', operator, left, right });
}

export function equals(left: Code, right: Code): Binary {
  return binary('===', left, right);
}

export function differs(left: Code, right: Code): Binary {
  return binary('!==', left, right);
}

export function and(left: Code, right: Code): Binary {
  return binary('&&', left, right);
}

/** `first ?? second ?? …`. */
export function coalesce(first: Code, ...others: readonly Code[]): Code {
  return others.reduce((left, right) => binary('??', left, right), first);
}

/** `code ?? null`: turns undefined into null. */
export function elseNull(code: Code): Code {
  return coalesce(code, nothing);
}

/** The code without a trailing `?? null`, for positions that also accept undefined. */
export function withoutElseNull(code: Code): Code {
  return code.kind === 'binary' && code.operator === '??' && isNull(code.right) ? code.left : code;
}

/** Whether the code is `null`. */
export function isNull(code: Code): boolean {
  return code.kind === 'literal' && code.value === null;
}

/** `target = value`. */
export function assign(target: Code, value: Code): Binary {
  return binary('=', target, value);
}

/** `test ? then : otherwise`. */
export function choose(test: Code, then: Code, otherwise: Code): Conditional {
  return node<Conditional>({ kind: 'conditional', test, then, otherwise });
}

/** A parameter with a name or a pattern; `otherwise` is the value of a missing argument. */
export function parameter(
  parameterName: Parameter['name'] | string,
  type?: Type,
  otherwise?: Code,
): Parameter {
  const named = typeof parameterName === 'string' ? name(parameterName) : parameterName;
  return node<Parameter>({ kind: 'parameter', name: named, type, otherwise });
}

/** `...input: Input`. */
export function restParameter(parameterName: string, type: Type): Parameter {
  return node<Parameter>({ kind: 'parameter', name: name(parameterName), type, isRest: true });
}

/** `(parameters) => body`; `async` if the body awaits or the function must return a promise. */
export function arrow(
  parameters: readonly Parameter[],
  body: Arrow['body'],
  { isAsync = awaits(body), returns }: { readonly isAsync?: boolean; readonly returns?: Type } = {},
): Arrow {
  return node<Arrow>({ kind: 'arrow', parameters, body, isAsync, returns });
}

/** `{ a: 1, b: 2 }`. */
export function object(fields: ObjectCode['fields']): ObjectCode {
  return node<ObjectCode>({ kind: 'object', fields, isTall: false });
}

/** An object with each field on a separate line. */
export function tallObject(fields: ObjectCode['fields']): ObjectCode {
  return node<ObjectCode>({ kind: 'object', fields, isTall: fields.length > 0 });
}

export function field(key: string | number, value: Code): Field {
  return node<Field>({ kind: 'field', key, value });
}

/** The field, or nothing if the value is undefined: `...fieldOf('wait', wait && literal(wait))`. */
export function fieldOf(key: string, value: Code | undefined): readonly Field[] {
  return value === undefined ? [] : [field(key, value)];
}

/** Fields for the JSON values that are not undefined. */
export function jsonFields(values: Readonly<Record<string, unknown>>): readonly Field[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [field(key, json(value))],
  );
}

export function array(items: ArrayCode['items']): ArrayCode {
  return node<ArrayCode>({ kind: 'array', items, isTall: false });
}

/** An array with each item on a separate line. */
export function tallArray(items: ArrayCode['items']): ArrayCode {
  return node<ArrayCode>({ kind: 'array', items, isTall: items.length > 0 });
}

/** The strings as an array. */
export function strings(values: readonly string[]): ArrayCode {
  return array(values.map(literal));
}

export function importNames(names: readonly ImportedName[], specifier: string): Import {
  for (const { name: imported, local = imported } of names) [imported, local].forEach(name);
  return node<Import>({ kind: 'import', names, specifier });
}

/** `const target = value;`. */
export function constant(target: Code, value: Code, type?: Type): Declaration {
  return node<Declaration>({ kind: 'declaration', keyword: 'const', target, type, value });
}

/** `let target: type = value;`. */
export function variable(target: Code, type: Type, value?: Code): Declaration {
  return node<Declaration>({ kind: 'declaration', keyword: 'let', target, type, value });
}

export function run(code: Code): Run {
  return node<Run>({ kind: 'run', code });
}

/** `if (test) { … } else …`. */
export function when(test: Code, then: readonly Statement[], otherwise?: If['otherwise']): If {
  return node<If>({ kind: 'if', test, then, otherwise, isFlat: false });
}

/** `if (test) statement`. */
export function flatWhen(test: Code, statement: Statement, isFlat: If['isFlat'] = true): If {
  return node<If>({ kind: 'if', test, then: [statement], otherwise: undefined, isFlat });
}

/** `for (const element of list) { … }`, or `for await`. */
export function forOf(element: Code, list: Code, body: readonly Statement[], isAwaited = false): ForOf {
  return node<ForOf>({ kind: 'for', element, of: list, body, awaits: isAwaited });
}

/** `try { … } catch (error) { … }`. */
export function attempt(body: readonly Statement[], error: Name, handler: readonly Statement[]): Try {
  return node<Try>({ kind: 'try', body, error, handler });
}

export function returns(value: Code): Return {
  return node<Return>({ kind: 'return', value });
}

export function throws(value: Code): Throw {
  return node<Throw>({ kind: 'throw', value });
}

/** `break;`. */
export const leave: Break = node<Break>({ kind: 'break' });

export function block(body: readonly Statement[]): Block {
  return node<Block>({ kind: 'block', body });
}

export function declareFunction(
  functionName: string,
  parameters: readonly Parameter[],
  returned: Type,
  body: readonly Statement[],
  isAsync = true,
): FunctionDeclaration {
  return node<FunctionDeclaration>({
    kind: 'function',
    name: name(functionName),
    parameters,
    returns: returned,
    body,
    isAsync,
  });
}

export function declareType(typeName: string, type: Type): TypeDeclaration {
  return node<TypeDeclaration>({ kind: 'type', name: name(typeName), type });
}

export function declareInterface(interfaceName: string, type: RecordType): InterfaceDeclaration {
  return node<InterfaceDeclaration>({ kind: 'interface', name: name(interfaceName), type });
}

export function exported(declaration: Exported['declaration']): Exported {
  return node<Exported>({ kind: 'export', declaration });
}

export function comment(text: string): Comment {
  return node<Comment>({ kind: 'comment', text });
}

export function doc(...lines: readonly string[]): Doc {
  return node<Doc>({ kind: 'doc', lines });
}

export const blank: Blank = node<Blank>({ kind: 'blank' });

/** Joins groups of statements with blank lines, skipping empty groups. */
export function apart(groups: readonly (readonly Statement[])[]): Statement[] {
  const filled = groups.filter(({ length }) => length > 0);
  return filled.flatMap((group, index) => (index === 0 ? group : [blank, ...group]));
}

/** A union; a single type is returned unchanged. */
export function union(...types: readonly Type[]): Type {
  const [first] = types;
  return first !== undefined && types.length === 1 ? first : node<Union>({ kind: 'union', types });
}

/** `A & B`; a single type is returned unchanged. */
export function intersection(...types: readonly Type[]): Type {
  const [first] = types;
  return first !== undefined && types.length === 1
    ? first
    : node<Intersection>({ kind: 'intersection', types });
}

/** `of[]`. */
export function listType(of: Type): ListType {
  return node<ListType>({ kind: 'list', of });
}

/** `[string, number]`. */
export function tupleType(elements: readonly Type[]): TupleType {
  return node<TupleType>({ kind: 'tuple', elements });
}

/** `{ id: number; title?: string }`; `others` is the type of all other fields. */
export function recordType(fields: readonly FieldType[], others?: Type, isFlat = false): RecordType {
  return node<RecordType>({ kind: 'record', fields, others, isFlat });
}

/** `typeof name`. */
export function typeOf(typeName: Name): TypeOf {
  return node<TypeOf>({ kind: 'typeof', name: typeName });
}
