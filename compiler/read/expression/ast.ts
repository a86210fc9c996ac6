/** The expression tree of both syntaxes. No code after the parsers knows which syntax was written. */
import type { Span } from '../source.js';

/** One step of a path: `.name`, `[n]` (negative counts from the end) or `[*]`. */
export type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' };

export type Path = readonly Step[];

interface Node {
  readonly span: Span;
}

/** A node that names a fulfillment, or a loop whose element it reads. */
interface Named extends Node {
  readonly name: string;
  /** Where the name is. */
  readonly nameSpan: Span;
}

/** `TEXT(…)`, `'text'`. */
export interface TextLiteral extends Node {
  readonly kind: 'text';
  readonly value: string;
}

/** `INTEGER(…)`, `DECIMAL(…)`, a number of Syntax B. */
export interface NumberLiteral extends Node {
  readonly kind: 'number';
  readonly value: number;
}

/** `BOOLEAN(…)`, `true`, `false`. */
export interface BooleanLiteral extends Node {
  readonly kind: 'boolean';
  readonly value: boolean;
}

/** `NULL()`, `null`. */
export interface NullLiteral extends Node {
  readonly kind: 'null';
}

/** `PARAM(name)`, `VALUE(PARAM(name), path)`, `param.name.path`: the path is empty for the whole value. */
export interface Param extends Node {
  readonly kind: 'param';
  readonly name: string;
  readonly path: Path;
}

/** The places of a request whose values have names. */
export type Place = 'header' | 'query' | 'cookie';

/** `HEADER(name)`, `header.name`, and the same for `query` and `cookie`: the value at this place of the request and no other. */
export interface Sent extends Node {
  readonly kind: 'sent';
  readonly place: Place;
  readonly name: string;
}

/** `BODY()`, `BODY($.path)`, `body.path`: the path is empty for the whole body. */
export interface RequestBody extends Node {
  readonly kind: 'body';
  readonly path: Path;
}

/** `CALLER()`, `CALLER($.path)`, `caller.path`: the caller, identified only by the credentials of the request. */
export interface Caller extends Node {
  readonly kind: 'caller';
  readonly path: Path;
}

/** `VALUE(name, path)`, `name.field`: a path into the result of a fulfillment or the element of a loop. */
export interface Value extends Named {
  readonly kind: 'value';
  readonly path: Path;
}

/** `VALUE(@, path)`: a path into the current element. */
export interface Element extends Node {
  readonly kind: 'element';
  readonly path: Path;
}

/**
 * `name` alone in Syntax B: the rows of a fulfillment, `[]` without rows; compared with null, it is then null
 * (docs/design/expressions.md#exp-2.8).
 */
export interface Result extends Named {
  readonly kind: 'result';
}

/** `VALUE_BY_INDEX(name, index, path)`. */
export interface ValueByIndex extends Named {
  readonly kind: 'value-by-index';
  readonly index: Expression;
  readonly path: Path;
}

/** `LIST(n)`. */
export interface List extends Node {
  readonly kind: 'list';
  readonly count: Expression;
}

/** `SIZE(x)`, `x.size()`. */
export interface Size extends Node {
  readonly kind: 'size';
  readonly of: Expression;
}

/** `STATUS(name)`. */
export interface Status extends Named {
  readonly kind: 'status';
}

/** `FAILURE(name)`: the reason why a request does not have a usable response. */
export interface FailureOf extends Named {
  readonly kind: 'failure';
}

/** `NEXT(name)`, `name.next()`: the cursor of the next page of a list, null after the last one. */
export interface Next extends Named {
  readonly kind: 'next';
}

/** `RESPONSE_HEADER(name, header)`: a header of the response to a request. */
export interface ResponseHeader extends Named {
  readonly kind: 'response-header';
  readonly header: string;
}

/** `MULTIPART_FILE(part)`, `MULTIPART_FILE(part, $.name)`, `multipart_file('part').name`: the path is empty for the file itself. */
export interface MultipartFile extends Node {
  readonly kind: 'multipart-file';
  readonly part: string;
  readonly path: Path;
}

/** `CONCAT(a, b)`, `concat(a, b)`: one string; null is empty, lists and objects are JSON. */
export interface Concat extends Node {
  readonly kind: 'concat';
  readonly parts: readonly Expression[];
}

/** `COALESCE(a, b)`, `coalesce(a, b)`: the first value that is not null. */
export interface Coalesce extends Node {
  readonly kind: 'coalesce';
  readonly parts: readonly Expression[];
}

/** `NOW()`, `now()`: one timestamp for the whole call. */
export interface Now extends Node {
  readonly kind: 'now';
}

/** `UUID()`, `uuid()`: a new one at each evaluation. */
export interface Uuid extends Node {
  readonly kind: 'uuid';
}

/** `ENV(NAME)`, `env('NAME')`: a variable of the service's environment. */
export interface EnvironmentVariable extends Node {
  readonly kind: 'variable';
  readonly name: string;
}

/** `IF_MATCH(value)`, `if_match(value)`: whether the request wants a change of this version. */
export interface IfMatch extends Node {
  readonly kind: 'if-match';
  readonly of: Expression;
}

/** `ERROR($.status)`, `error.status`: a part of the error that a body describes; the path is empty for all of it. */
export interface ErrorValue extends Node {
  readonly kind: 'error';
  readonly path: Path;
}

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

export interface Comparison extends Node {
  readonly kind: 'comparison';
  readonly operator: ComparisonOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `a && b`, `a || b`; a chain `a && b && c` leans to the left. */
export interface Logical extends Node {
  readonly kind: 'logical';
  readonly operator: '&&' | '||';
  readonly left: Expression;
  readonly right: Expression;
}

export interface Not extends Node {
  readonly kind: 'not';
  readonly operand: Expression;
}

export type Expression =
  | TextLiteral
  | NumberLiteral
  | BooleanLiteral
  | NullLiteral
  | Param
  | Sent
  | RequestBody
  | Caller
  | Value
  | Element
  | Result
  | ValueByIndex
  | List
  | Size
  | Status
  | FailureOf
  | Next
  | ResponseHeader
  | MultipartFile
  | Concat
  | Coalesce
  | Now
  | Uuid
  | EnvironmentVariable
  | ErrorValue
  | IfMatch
  | Comparison
  | Logical
  | Not;

/** The syntax of an operation; one operation never mixes the two. */
export type Syntax = 'A' | 'B';

/** A text with placeholders, such as a URL, a header or a message: its constant parts and expressions in order. */
export type Template = readonly (string | Expression)[];
