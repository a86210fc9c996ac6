/** A service as the random services are made of: the resources of the language as plain values, without any of the compiler's types. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** `.name` (`*` is all elements) or `[n]`. */
export type Step = string | number;

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** An expression of either syntax. */
export type Expr =
  | { readonly is: 'constant'; readonly value: string | number | boolean | null }
  | { readonly is: 'param'; readonly name: string }
  | { readonly is: 'body'; readonly path: readonly Step[] }
  /** A path into a result or into the element of a loop; without a path in Syntax B the result itself. */
  | { readonly is: 'value'; readonly name: string; readonly path: readonly Step[] }
  | { readonly is: 'element'; readonly path: readonly Step[] }
  | { readonly is: 'stored'; readonly name: string; readonly index: Expr; readonly path: readonly Step[] }
  | { readonly is: 'list'; readonly count: Expr }
  | { readonly is: 'size'; readonly of: Expr }
  | { readonly is: 'concat' | 'coalesce'; readonly parts: readonly Expr[] }
  /** IF_MATCH, of a request without If-Match. */
  | { readonly is: 'if-match'; readonly of: Expr }
  /** An expression as it is written, whose value is known. */
  | { readonly is: 'written'; readonly text: string }
  | { readonly is: 'compare'; readonly operator: Operator; readonly left: Expr; readonly right: Expr }
  | { readonly is: 'and' | 'or'; readonly left: Expr; readonly right: Expr }
  | { readonly is: 'not'; readonly of: Expr };

/** A text with placeholders. */
export type Template = readonly (string | Expr)[];

export type Schema =
  | { readonly is: 'leaf'; readonly value: Expr }
  | { readonly is: 'object'; readonly fields: readonly (readonly [string, Schema])[] }
  | { readonly is: 'list'; readonly list: Expr; readonly item: Schema };

/** A statement of `tables.ts`, with the value that it binds. */
export interface Statement {
  readonly does:
    'all' | 'by name' | 'by id' | 'in' | 'none' | 'count' | 'constant' | 'log' | 'bump' | 'remove' | 'add';
  /** The bound value, where there is one. */
  readonly value?: Expr;
  /** The id of a row that is added. */
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
  /** The default one is the last. */
  readonly responses: readonly {
    readonly name: string;
    readonly if?: Expr;
    readonly status: number;
    readonly schema?: Schema;
  }[];
}

export interface Service {
  /** Its rows in the tables. */
  readonly number: number;
  readonly database: 'postgresql' | 'mariadb';
  /** Whether an API description declares its parameters; then `x` is an integer. */
  readonly isDescribed: boolean;
  /** Whether the compiler knows the columns of its rows, and with a description the fields of its bodies. */
  readonly isTyped: boolean;
  readonly operations: readonly Operation[];
}

export interface Request {
  readonly operation: string;
  readonly id: string;
  readonly query: readonly (readonly [string, string])[];
  /** Undefined for none. */
  readonly body: Json | undefined;
}

/** Whether the requests of a typed service have bodies by its description. */
export function needsBody({ isTyped, isDescribed, number }: Service): boolean {
  return isTyped && isDescribed && number % 2 === 0;
}
