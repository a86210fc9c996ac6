/** A table of all kinds of expressions, with facts that depend only on the kind. */
import type { ComparisonOperator, Expression } from './ast.js';

/**
 * `timestamp` and `uuid` are strings, `status` is an integer or null, `integers` is the list created by LIST, `rows` is a result. `unknown`
 * depends on data.
 */
export type OwnType =
  | 'string'
  | 'timestamp'
  | 'uuid'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'null'
  | 'status'
  | 'integers'
  | 'rows'
  | 'unknown';

/** The fields of a node that contain expressions or lists of expressions. */
type PartOf<Node> = {
  [Key in keyof Node]-?: Node[Key] extends Expression | readonly Expression[] ? Key : never;
}[keyof Node];

interface KindFacts<Node> {
  /** Fields with child expressions, in source order. */
  readonly parts: readonly PartOf<Node>[];
  /** The type of the value, if it depends only on the kind. The API description, casts and hints are derived from it. */
  readonly type: OwnType;
  /** The origin of the value: the request, its caller, a loop element, a result, a constant; `other` means computed. */
  readonly from: 'request' | 'caller' | 'element' | 'result' | 'constant' | 'other';
  /** Whether Syntax B can express it; `sometimes` if this depends on the names used. */
  readonly inSyntaxB: boolean | 'sometimes';
}

export const nodeKinds: {
  readonly [Kind in Expression['kind']]: KindFacts<Extract<Expression, { readonly kind: Kind }>>;
} = {
  text: { parts: [], type: 'string', from: 'constant', inSyntaxB: true },
  number: { parts: [], type: 'number', from: 'constant', inSyntaxB: true },
  boolean: { parts: [], type: 'boolean', from: 'constant', inSyntaxB: true },
  null: { parts: [], type: 'null', from: 'constant', inSyntaxB: true },
  param: { parts: [], type: 'unknown', from: 'request', inSyntaxB: true },
  sent: { parts: [], type: 'unknown', from: 'request', inSyntaxB: true },
  'query-map': { parts: [], type: 'unknown', from: 'request', inSyntaxB: true },
  body: { parts: [], type: 'unknown', from: 'request', inSyntaxB: true },
  caller: { parts: [], type: 'unknown', from: 'caller', inSyntaxB: true },
  value: { parts: [], type: 'unknown', from: 'result', inSyntaxB: 'sometimes' },
  element: { parts: [], type: 'unknown', from: 'element', inSyntaxB: true },
  result: { parts: [], type: 'rows', from: 'result', inSyntaxB: 'sometimes' },
  'value-by-index': { parts: ['index'], type: 'unknown', from: 'result', inSyntaxB: false },
  list: { parts: ['count'], type: 'integers', from: 'other', inSyntaxB: false },
  size: { parts: ['of'], type: 'integer', from: 'other', inSyntaxB: 'sometimes' },
  status: { parts: [], type: 'status', from: 'other', inSyntaxB: false },
  failure: { parts: [], type: 'unknown', from: 'other', inSyntaxB: false },
  'status-by-index': { parts: ['index'], type: 'status', from: 'other', inSyntaxB: false },
  'failure-by-index': { parts: ['index'], type: 'unknown', from: 'other', inSyntaxB: false },
  next: { parts: [], type: 'unknown', from: 'other', inSyntaxB: true },
  paging: { parts: [], type: 'unknown', from: 'other', inSyntaxB: true },
  'response-header': { parts: [], type: 'unknown', from: 'other', inSyntaxB: false },
  'multipart-file': { parts: [], type: 'unknown', from: 'other', inSyntaxB: true },
  concat: { parts: ['parts'], type: 'string', from: 'other', inSyntaxB: true },
  coalesce: { parts: ['parts'], type: 'unknown', from: 'other', inSyntaxB: true },
  now: { parts: [], type: 'timestamp', from: 'other', inSyntaxB: true },
  uuid: { parts: [], type: 'uuid', from: 'other', inSyntaxB: true },
  random: { parts: [], type: 'string', from: 'other', inSyntaxB: true },
  sha256: { parts: ['of'], type: 'unknown', from: 'other', inSyntaxB: true },
  length: { parts: ['of'], type: 'unknown', from: 'other', inSyntaxB: true },
  lower: { parts: ['of'], type: 'unknown', from: 'other', inSyntaxB: true },
  hash: { parts: ['of'], type: 'string', from: 'other', inSyntaxB: true },
  verify: { parts: ['value', 'hash'], type: 'boolean', from: 'other', inSyntaxB: true },
  token: { parts: ['of'], type: 'string', from: 'other', inSyntaxB: true },
  outdated: { parts: ['of'], type: 'boolean', from: 'other', inSyntaxB: true },
  code: { parts: ['input'], type: 'unknown', from: 'other', inSyntaxB: true },
  address: { parts: [], type: 'unknown', from: 'request', inSyntaxB: true },
  variable: { parts: ['byDefault'], type: 'string', from: 'other', inSyntaxB: true },
  error: { parts: [], type: 'unknown', from: 'other', inSyntaxB: true },
  'if-match': { parts: ['of'], type: 'boolean', from: 'other', inSyntaxB: true },
  arithmetic: { parts: ['left', 'right'], type: 'unknown', from: 'other', inSyntaxB: true },
  comparison: { parts: ['left', 'right'], type: 'boolean', from: 'other', inSyntaxB: true },
  logical: { parts: ['left', 'right'], type: 'boolean', from: 'other', inSyntaxB: true },
  not: { parts: ['operand'], type: 'boolean', from: 'other', inSyntaxB: true },
};

/** The type of a value, as far as the expression alone determines it. */
export function ownType(expression: Expression): OwnType {
  if (expression.kind === 'number' && Number.isInteger(expression.value)) return 'integer';
  if (expression.kind === 'variable' && !expression.byDefault.every((one) => one.kind === 'text'))
    return 'unknown';
  if (expression.kind === 'coalesce') return typeOfFirst(expression.parts.map(ownType));
  return nodeKinds[expression.kind].type;
}

/** The common type of all values, ignoring null except for the last value. */
function typeOfFirst(types: readonly OwnType[]): OwnType {
  const [type, ...rest] = new Set(
    types.filter((type, index) => type !== 'null' || index === types.length - 1),
  );
  return type === undefined || rest.length > 0 ? 'unknown' : type;
}

/** The equivalent operator for swapped operands. */
export const turned: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
