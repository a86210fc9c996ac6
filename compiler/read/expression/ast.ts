/** The expression tree shared by both syntaxes: code after the parsers is independent of the syntax. */
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

/** A node that names a fulfillment, or a loop whose element is read. */
interface Named extends Node {
  readonly name: string;
  /** The span of the name. */
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

/** `PARAM(name)`, `VALUE(PARAM(name), path)`, `param.name.path`. The path is empty for the whole value. */
export interface Param extends Node {
  readonly kind: 'param';
  readonly name: string;
  readonly path: Path;
}

/** The parts of a request with named values. */
export type Place = 'header' | 'query' | 'cookie';

/** `HEADER(name)`, `header.name`, and likewise `query` and `cookie`: the value from this part of the request only. */
export interface Sent extends Node {
  readonly kind: 'sent';
  readonly place: Place;
  readonly name: string;
}

/** `QUERY()`, `query`: all parameters of the query by name, without the parameters of API keys. */
export interface QueryMap extends Node {
  readonly kind: 'query-map';
}

/** `BODY()`, `BODY($.path)`, `body.path`. The path is empty for the whole body. */
export interface RequestBody extends Node {
  readonly kind: 'body';
  readonly path: Path;
}

/** `CALLER()`, `CALLER($.path)`, `caller.path`: the caller, identified only by the request's credentials. */
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
 * `name` alone in Syntax B: the rows of a fulfillment, `[]` if there are none. Compared with null, it is null if there are none
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

/** `STATUS_BY_INDEX(name, index)`: STATUS of the iteration that stored its result under the index. */
export interface StatusByIndex extends Named {
  readonly kind: 'status-by-index';
  readonly index: Expression;
}

/** `FAILURE_BY_INDEX(name, index)`: FAILURE of that iteration. */
export interface FailureByIndex extends Named {
  readonly kind: 'failure-by-index';
  readonly index: Expression;
}

/** `NEXT(name)`, `name.next()`: the cursor of the next page of a list, null after the last one. */
export interface Next extends Named {
  readonly kind: 'next';
}

/** The relation of a page to the page that is read. */
export const pageRelations = ['self', 'first', 'prev', 'next', 'last'] as const;
export type PageRelation = (typeof pageRelations)[number];

export type PageFact = 'total' | 'pages' | 'previous' | 'link';

/**
 * `TOTAL(name)`, `PAGES(name)`, `PREVIOUS(name)`, `LINK(name)`, `LINK(name, next)`; in Syntax B `name.total()`, `name.link('next')`: a
 * fact about the page of a list.
 */
export interface Paging extends Named {
  readonly kind: 'paging';
  readonly fact: PageFact;
  /** Of `link`: the page of one URL; without it, all URLs as a header. */
  readonly relation: PageRelation | undefined;
}

/** `RESPONSE_HEADER(name, header)`: a header of the response to a request. */
export interface ResponseHeader extends Named {
  readonly kind: 'response-header';
  readonly header: string;
}

/** `MULTIPART_FILE(part)`, `MULTIPART_FILE(part, $.name)`, `multipart_file('part').name`. The path is empty for the file itself; `$[*]` is the list of all files of the part. */
export interface MultipartFile extends Node {
  readonly kind: 'multipart-file';
  readonly part: string;
  readonly path: Path;
}

/** `CONCAT(a, b)`, `concat(a, b)`: a single string. Null becomes empty, lists and objects become JSON. */
export interface Concat extends Node {
  readonly kind: 'concat';
  readonly parts: readonly Expression[];
}

/** `COALESCE(a, b)`, `coalesce(a, b)`: the first value that is not null. */
export interface Coalesce extends Node {
  readonly kind: 'coalesce';
  readonly parts: readonly Expression[];
}

/** `NOW()`, `now()`: a timestamp that is the same for the whole call. */
export interface Now extends Node {
  readonly kind: 'now';
}

/** `UUID()`, `uuid()`: a new UUID for each evaluation. */
export interface Uuid extends Node {
  readonly kind: 'uuid';
}

/** `RANDOM(n)`, `RANDOM(n, hex)`, `random(n, 'hex')`: random bytes as base64url or in hexadecimal, new at each evaluation. */
export interface Random extends Node {
  readonly kind: 'random';
  /** 16 to 64. */
  readonly bytes: number;
  readonly form: 'base64url' | 'hex';
}

/** `SHA256(value)`, `sha256(value)`: the digest of a string in hexadecimal. */
export interface Sha256 extends Node {
  readonly kind: 'sha256';
  readonly of: Expression;
}

/** `LENGTH(value)`, `length(value)`: the number of code points of a string. */
export interface Length extends Node {
  readonly kind: 'length';
  readonly of: Expression;
}

/** `LOWER(value)`, `lower(value)`: a string in lower case. */
export interface Lower extends Node {
  readonly kind: 'lower';
  readonly of: Expression;
}

/** `HASH(value)`, `hash(value)`: the hash of a password, with a new salt at each evaluation. */
export interface Hash extends Node {
  readonly kind: 'hash';
  readonly of: Expression;
}

/** `VERIFY(value, hash)`, `verify(value, hash)`: whether the password has this hash. */
export interface Verify extends Node {
  readonly kind: 'verify';
  readonly value: Expression;
  readonly hash: Expression;
}

/** `TOKEN(users, value)`, `TOKEN(users, value, TEXT(long))`, `token('users', value)`: a token that the authentication accepts. */
export interface Token extends Node {
  readonly kind: 'token';
  readonly authentication: string;
  readonly authenticationSpan: Span;
  /** The claims. */
  readonly of: Expression;
  /** One of several lifetimes of the authentication; not a part of the expression, because it is constant. */
  readonly lifetime: TextLiteral | undefined;
}

/** `OUTDATED(hash)`, `outdated(hash)`: whether HASH would now write the hash of this password in another form. */
export interface Outdated extends Node {
  readonly kind: 'outdated';
  readonly of: Expression;
}

/** `CODE(markdown, value)`, `code('markdown', value)`: the result of a user function. */
export interface FunctionCall extends Node {
  readonly kind: 'code';
  readonly function: string;
  readonly functionSpan: Span;
  /** The arguments. */
  readonly input: readonly Expression[];
}

/** `ADDRESS()`, `address()`: the address of the client of the request. */
export interface Address extends Node {
  readonly kind: 'address';
}

/** `ENV(NAME)`, `env('NAME')`, `ENV(NAME, TEXT(blue))`: an environment variable of the service. */
export interface EnvironmentVariable extends Node {
  readonly kind: 'variable';
  readonly name: string;
  /** The constant that is used if the variable is not set; empty without one. */
  readonly byDefault: readonly Expression[];
}

/** `IF_MATCH(value)`, `if_match(value)`: whether the request's If-Match condition is satisfied by this version. */
export interface IfMatch extends Node {
  readonly kind: 'if-match';
  readonly of: Expression;
}

/** `ERROR($.status)`, `error.status`: a property of the error in an error body. The path is empty for the whole error. */
export interface ErrorValue extends Node {
  readonly kind: 'error';
  readonly path: Path;
}

/** Arithmetic of integers in LIMIT or OFFSET of MySQL, which the server does not calculate. Only SQL has it, not the language. */
export interface Arithmetic extends Node {
  readonly kind: 'arithmetic';
  readonly operator: '+' | '-' | '*';
  readonly left: Expression;
  readonly right: Expression;
}

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

export interface Comparison extends Node {
  readonly kind: 'comparison';
  readonly operator: ComparisonOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `a && b`, `a || b`. A chain `a && b && c` is left-associative. */
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
  | QueryMap
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
  | StatusByIndex
  | FailureByIndex
  | Next
  | Paging
  | ResponseHeader
  | MultipartFile
  | Concat
  | Coalesce
  | Now
  | Uuid
  | Random
  | Sha256
  | Length
  | Lower
  | Hash
  | Verify
  | Outdated
  | Token
  | FunctionCall
  | Address
  | EnvironmentVariable
  | ErrorValue
  | IfMatch
  | Arithmetic
  | Comparison
  | Logical
  | Not;

/** The syntax of an operation. An operation never mixes both. */
export type Syntax = 'A' | 'B';

/** A string with placeholders, such as a URL, header or message: constant parts and expressions, in order. */
export type Template = readonly (string | Expression)[];
