/** An operation as plain data: everything that all of its variants have in common. */
import type { Json, Operator, Step as PathStep } from '../interpreter/language.js';

export type Path = readonly PathStep[];

export type Expr =
  | { readonly is: 'constant'; readonly value: string | number | boolean | null }
  | { readonly is: 'param' | 'query' | 'header'; readonly name: string }
  | { readonly is: 'body'; readonly path: Path }
  /** A path into a result, or into the element of the named loop. */
  | { readonly is: 'value'; readonly name: string; readonly path: Path }
  /** The current element of a list in a schema, or of the innermost loop. */
  | { readonly is: 'element'; readonly path: Path }
  | { readonly is: 'stored'; readonly name: string; readonly index: Expr; readonly path: Path }
  | { readonly is: 'list'; readonly count: Expr }
  | { readonly is: 'size'; readonly of: Expr }
  /** Whether the result is empty, written as the reference recommends for each syntax. */
  | { readonly is: 'empty'; readonly name: string }
  /** The number of rows found by a change; its form depends on the database. */
  | { readonly is: 'changed'; readonly name: string }
  | { readonly is: 'status' | 'failure' | 'kind' | 'next'; readonly name: string }
  | { readonly is: 'error'; readonly field: string }
  | { readonly is: 'concat' | 'coalesce'; readonly parts: readonly Expr[] }
  | { readonly is: 'compare'; readonly operator: Operator; readonly left: Expr; readonly right: Expr }
  | { readonly is: 'and' | 'or'; readonly left: Expr; readonly right: Expr }
  | { readonly is: 'not'; readonly of: Expr };

/** A string with placeholders. */
export type Template = readonly (string | Expr)[];

export type Schema =
  | { readonly is: 'leaf'; readonly value: Expr }
  | { readonly is: 'object'; readonly fields: readonly (readonly [string, Schema])[] }
  | { readonly is: 'list'; readonly list: Expr; readonly item: Schema }
  /** The rows of one READ, each with its rows from a step `children`. */
  | { readonly is: 'nested'; readonly parents: string; readonly children: string };

/** A statement from `statements.ts`, with its bound values. */
export interface Statement {
  readonly does: string;
  readonly values: readonly Expr[];
}

export interface Exception {
  readonly if: Expr;
  readonly status: number;
  readonly message: Template;
  readonly code?: string;
  readonly schema?: Schema;
  readonly header?: readonly Template[];
}

interface Common {
  readonly name: string;
  readonly if?: Expr;
  readonly exceptions: readonly Exception[];
  readonly loopbreak?: readonly Expr[];
  readonly index?: Expr;
}

export type Step = Common &
  (
    | {
        readonly does: 'read' | 'change';
        readonly choices: readonly { readonly if?: Expr; readonly statement: Statement }[];
      }
    /** A paged READ, ordered by `QUERY(sort)`. */
    | { readonly does: 'page'; readonly max: number }
    /** The rows that belong to each row of another READ: a loop with an index, or a join. */
    | { readonly does: 'children'; readonly of: string }
    | {
        readonly does: 'request';
        readonly method: 'GET' | 'POST' | 'PUT';
        readonly url: Template;
        readonly header?: Template;
        readonly body?: Schema;
        readonly onFailure?: true;
        readonly retry?: true;
      }
    | {
        readonly does: 'loop';
        readonly list: Expr;
        readonly steps: readonly Step[];
        /** Whether the iterations can run in parallel: none reads changes of another. */
        readonly isParallel?: true;
        readonly concurrency?: number;
      }
    | {
        readonly does: 'call';
        readonly operation: Operation;
        readonly parameters: readonly (readonly [string, Schema])[];
        readonly onFailure?: true;
      }
  );

export interface Response {
  readonly if?: Expr;
  readonly status: number;
  readonly schema?: Schema;
  readonly header?: readonly Template[];
  readonly contentType?: string;
  readonly etag?: true;
}

export interface Operation {
  readonly method: 'GET' | 'POST';
  readonly transaction?: true;
  /** Checked before the first step. */
  readonly exceptions: readonly Exception[];
  readonly steps: readonly Step[];
  /** The last response is the default. */
  readonly responses: readonly Response[];
}

export interface Request {
  readonly id: string;
  readonly query: readonly (readonly [string, string])[];
  readonly header: Readonly<Record<string, string>>;
  /** Undefined without a body. */
  readonly body?: Json;
  /** Whether a value does not fit the column that it is bound to: each database converts such values in its own way. */
  readonly isOdd?: true;
}

/** Placeholders in a request for the `X-Next` and `ETag` of the previous response. */
export const lastNext = '<next>';
export const lastTag = '<etag>';

/** An operation, and the requests sent to all of its variants. */
export interface Case {
  readonly seed: number;
  readonly operation: Operation;
  readonly requests: readonly Request[];
}

/** How a variant is written. */
export interface Notation {
  readonly syntax: 'A' | 'B';
  readonly form: 'query' | 'sql';
  readonly loops: 'sequential' | 'concurrent';
  /** Whether requests that read nothing of each other are sent at the same time. */
  readonly requests: 'inTurn' | 'together';
  readonly database: 'postgresql' | 'mariadb';
  readonly file: 'config' | 'include' | 'split';
  readonly steps: 'inline' | 'reference';
}

/** The expression with some of its parts replaced; parts for which `change` returns undefined stay. */
export function mapExpr(expr: Expr, change: (part: Expr) => Expr | undefined): Expr {
  const changed = change(expr);
  if (changed !== undefined) return changed;
  const map = (part: Expr): Expr => mapExpr(part, change);
  switch (expr.is) {
    case 'stored':
      return { ...expr, index: map(expr.index) };
    case 'list':
      return { ...expr, count: map(expr.count) };
    case 'size':
    case 'not':
      return { ...expr, of: map(expr.of) };
    case 'concat':
    case 'coalesce':
      return { ...expr, parts: expr.parts.map(map) };
    case 'compare':
    case 'and':
    case 'or':
      return { ...expr, left: map(expr.left), right: map(expr.right) };
    default:
      return expr;
  }
}
