/** The model of random services: the language's resources as plain values, independent of the compiler's types. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** `.name` (`*` for all elements) or `[n]`. */
export type Step = string | number;

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** An expression of either syntax. */
export type Expr =
  | { readonly is: 'constant'; readonly value: string | number | boolean | null }
  | { readonly is: 'param'; readonly name: string }
  | { readonly is: 'body'; readonly path: readonly Step[] }
  /** A path into a result or a loop's element; in Syntax B, an empty path is the result itself. */
  | { readonly is: 'value'; readonly name: string; readonly path: readonly Step[] }
  | { readonly is: 'element'; readonly path: readonly Step[] }
  | { readonly is: 'stored'; readonly name: string; readonly index: Expr; readonly path: readonly Step[] }
  | { readonly is: 'list'; readonly count: Expr }
  | { readonly is: 'size'; readonly of: Expr }
  | { readonly is: 'concat' | 'coalesce'; readonly parts: readonly Expr[] }
  | { readonly is: 'length' | 'lower' | 'sha256'; readonly of: Expr }
  /** IF_MATCH for a request without If-Match. */
  | { readonly is: 'if-match'; readonly of: Expr }
  /** A literal expression with a known value. */
  | { readonly is: 'written'; readonly text: string }
  | { readonly is: 'compare'; readonly operator: Operator; readonly left: Expr; readonly right: Expr }
  | { readonly is: 'and' | 'or'; readonly left: Expr; readonly right: Expr }
  | { readonly is: 'not'; readonly of: Expr };

/** A string with placeholders. */
export type Template = readonly (string | Expr)[];

export type Schema =
  | { readonly is: 'leaf'; readonly value: Expr }
  | { readonly is: 'object'; readonly fields: readonly (readonly [string, Schema])[] }
  | { readonly is: 'list'; readonly list: Expr; readonly item: Schema };

/** A statement from `tables.ts`, with its bound value. */
export interface Statement {
  readonly does:
    'all' | 'by name' | 'by id' | 'in' | 'none' | 'count' | 'constant' | 'log' | 'bump' | 'remove' | 'add';
  /** The bound value, if any. */
  readonly value?: Expr;
  /** The id of an added row. */
  readonly id?: number;
}

interface Common {
  readonly name: string;
  readonly if?: Expr;
  readonly exceptions: readonly { readonly if: Expr; readonly status: number; readonly message: Template }[];
  readonly loopbreak: readonly Expr[];
  readonly index?: Expr;
}

export type Fulfillment = Common &
  (
    | {
        readonly type: 'READ' | 'UPDATE';
        readonly choices: readonly { readonly if?: Expr; readonly statement: Statement }[];
      }
    | { readonly type: 'LOOP'; readonly loop: Expr; readonly fulfillments: readonly Fulfillment[] }
    | {
        readonly type: 'reference';
        readonly operation: string;
        readonly parameters: readonly (readonly [string, Schema])[];
      }
  );

export interface Operation {
  /** `GET /s7/a/{id}`, or free text. */
  readonly name: string;
  readonly syntax: 'A' | 'B';
  readonly transaction: boolean;
  readonly fulfillments: readonly Fulfillment[];
  /** The last response is the default. */
  readonly responses: readonly {
    readonly name: string;
    readonly if?: Expr;
    readonly status: number;
    readonly schema?: Schema;
  }[];
}

export interface Service {
  /** Identifies the service's rows in the tables. */
  readonly number: number;
  readonly database: 'postgresql' | 'mariadb';
  /** Whether an API description declares the parameters; then `x` is an integer. */
  readonly isDescribed: boolean;
  /** Whether the compiler knows the columns of rows, and with a description also the fields of bodies. */
  readonly isTyped: boolean;
  readonly operations: readonly Operation[];
}

export interface Request {
  readonly operation: string;
  readonly id: string;
  readonly query: readonly (readonly [string, string])[];
  /** Undefined without a body. */
  readonly body: Json | undefined;
}

/** Whether requests of a typed service have bodies as described. */
export function needsBody({ isTyped, isDescribed, number }: Service): boolean {
  return isTyped && isDescribed && number % 2 === 0;
}
