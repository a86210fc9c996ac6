/**
 * The syntax tree of a SQL string: statements, clauses, tables in FROM, and expressions. Every node refers to its items, parent and clause.
 */
import type { Expression } from '../../expression/ast.js';
import type { Dialect } from '../dialect.js';
import type { Token } from '../lexer/token.js';

/** A significant token, that is, neither white space nor a comment. */
export interface Item {
  readonly token: Token;
  /** Index of the token among all tokens of the text. */
  readonly index: number;
  /** The word in upper case, or the operator as written; empty for anything else. Compared with keywords. */
  readonly word: string;
  /** For `(` and `[`: the index of the closing item; -1 if unclosed. */
  close: number;
}

/** Links to surrounding nodes, set once the whole tree is complete. */
interface Surroundings {
  /** The parent node; undefined for the root statement. */
  parent?: SqlNode;
  /** The clause that contains the node, in the same query. */
  clause?: Clause;
  /** The innermost query that contains the node. */
  query?: Query;
}

interface Node extends Surroundings {
  /** The indexes of the node's first and last items. */
  readonly first: number;
  readonly last: number;
  /** Child nodes in source order. */
  readonly children: readonly SqlNode[];
}

/** A statement or a nested query. */
export interface Query extends Node {
  readonly kind: 'query';
  /** The verb in upper case: SELECT, VALUES, INSERT …; for a set operation, that of its first part. Empty if unreadable. */
  readonly verb: string;
  readonly verbItem: number;
  readonly with: readonly WithQuery[];
  readonly isRecursive: boolean;
  /** The parts of a set operation; the source of an INSERT; the statement after EXPLAIN, `CREATE … AS`, `SET STATEMENT … FOR`. */
  readonly parts: readonly Query[];
  /** UNION, INTERSECT … between the parts, so one fewer than parts. */
  readonly operators: readonly string[];
  /**
   * True for a set operation, for a parenthesized query followed by clauses, and for `SET STATEMENT … FOR`: the actual queries are in
   * `parts`.
   */
  readonly isCombined: boolean;
  readonly clauses: readonly Clause[];
}

/** `name (columns) AS (query)`. */
export interface WithQuery extends Node {
  readonly kind: 'with-query';
  readonly name: number;
  readonly body: Query | undefined;
}

/**
 * A part of a statement that begins with a keyword: SELECT (the list of columns), DISTINCT (ON), FROM, WHERE, GROUP, ORDER, ON, USING …;
 * VALUES has the rows, COLUMNS the column names of an INSERT, CONFLICT and DUPLICATE the actions for existing rows, WHEN a branch of MERGE.
 * The name of an unknown clause is empty.
 */
export interface Clause extends Node {
  readonly kind: 'clause';
  readonly name: string;
  /** DISTINCT, ALL, SQL_CALC_FOUND_ROWS; MATCHED; the words of a locking clause. */
  readonly modifiers: readonly string[];
}

/** An element of a column list. */
export interface Column extends Node {
  readonly kind: 'column';
  readonly value: SqlNode;
  /** The index of the alias item. */
  readonly alias: number | undefined;
}

/** An element of ORDER BY. */
export interface SortKey extends Node {
  readonly kind: 'sort-key';
  readonly value: SqlNode;
}

/** A table that is read or written. */
export interface Table extends Node {
  readonly kind: 'table';
  readonly name: Name;
  readonly alias: number | undefined;
}

/** A query, a function or a VALUES list in FROM. */
export interface Derived extends Node {
  readonly kind: 'derived';
  readonly source: SqlNode;
  readonly isLateral: boolean;
  readonly alias: number | undefined;
}

export interface Join extends Node {
  readonly kind: 'join';
  readonly type: 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS';
  readonly isNatural: boolean;
  readonly left: SqlNode;
  readonly right: SqlNode;
  /** The ON or USING clause. */
  readonly condition: Clause | undefined;
}

/** `a = 1` in SET; `(a, b) = (1, 2)` has several targets. */
export interface Assignment extends Node {
  readonly kind: 'assignment';
  readonly targets: readonly SqlNode[];
  readonly value: SqlNode | undefined;
}

/** A name with its qualifiers, or `t.*`. */
export interface Name extends Node {
  readonly kind: 'name';
  /** The indexes of the items that are the parts of the name. */
  readonly parts: readonly number[];
}

/** `*`, `t.*`. */
export interface Star extends Node {
  readonly kind: 'star';
}

/** A string, a number, or a keyword such as NULL. */
export interface Constant extends Node {
  readonly kind: 'string' | 'number' | 'word';
}

export interface Placeholder extends Node {
  readonly kind: 'placeholder';
  readonly expression: Expression | undefined;
}

/** MySQL's `@a` and `@@global.b`. */
export interface Variable extends Node {
  readonly kind: 'variable';
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly name: Name;
  readonly arguments: readonly SqlNode[];
  /** The separator before each argument: empty, a comma, or FROM, FOR, USING, IN, AS … in a function's own syntax. */
  readonly separators: readonly string[];
  /** DISTINCT, ALL, BOTH, LEADING, TRAILING, VARIADIC. */
  readonly modifiers: readonly string[];
  /** The index of the `(` item. */
  readonly open: number;
  /** ORDER and SEPARATOR; after the closing parenthesis, WITHIN, FILTER and OVER. */
  readonly clauses: readonly Clause[];
}

export interface Case extends Node {
  readonly kind: 'case';
  readonly operand: SqlNode | undefined;
  readonly conditions: readonly SqlNode[];
  /** The expressions after THEN and ELSE. */
  readonly values: readonly SqlNode[];
}

/** `a::int`, `CAST(a AS int)`. */
export interface Cast extends Node {
  readonly kind: 'cast';
  readonly value: SqlNode;
  readonly type: Type;
  readonly isFunction: boolean;
}

/** `date '2024-01-01'`, `interval '1 day'`, `INTERVAL 1 DAY`, `_utf8'a'`. */
export interface Typed extends Node {
  readonly kind: 'typed';
  readonly type: Type;
  readonly value: SqlNode;
}

/** A type name with lengths, time zones and brackets. */
export interface Type extends Node {
  readonly kind: 'type';
  /** The upper-case words of the type without parenthesized parts: `TIMESTAMP WITH TIME ZONE`. */
  readonly name: string;
  readonly isArray: boolean;
}

/** An operator with its operands; in `NOT IN`, NOT belongs to the operator. AND, OR and `,` have any number of operands. */
export interface Operation extends Node {
  readonly kind: 'operation';
  /** The operator in upper case: `=`, `->>`, `AND`, `IN`, `NOT IN`, `IS NOT NULL`, `IS DISTINCT FROM`, `BETWEEN`, `LIKE` … */
  readonly operator: string;
  readonly operands: readonly SqlNode[];
  /** The first item of the (first) operator. */
  readonly operatorItem: number;
  readonly isPrefix: boolean;
}

/** `(a)`, `(a, b)`, a row of VALUES, the list after IN. */
export interface Parentheses extends Node {
  readonly kind: 'parentheses';
  readonly elements: readonly SqlNode[];
}

/** A parenthesized query used as an expression or in FROM. */
export interface Subquery extends Node {
  readonly kind: 'subquery';
  readonly body: Query;
}

/** `ARRAY[a, b]` */
export interface ArrayList extends Node {
  readonly kind: 'array';
  readonly elements: readonly SqlNode[];
}

/** `a[1]`, `a[1:2]`, `(row).field`. */
export interface Access extends Node {
  readonly kind: 'access';
  readonly value: SqlNode;
}

/** SQL that the parser does not understand. */
export interface Opaque extends Node {
  readonly kind: 'opaque';
}

export type SqlNode =
  | Query
  | WithQuery
  | Clause
  | Column
  | SortKey
  | Table
  | Derived
  | Join
  | Assignment
  | Name
  | Star
  | Constant
  | Placeholder
  | Variable
  | Call
  | Case
  | Cast
  | Typed
  | Type
  | Operation
  | Parentheses
  | Subquery
  | ArrayList
  | Access
  | Opaque;

export interface SqlTree {
  readonly items: readonly Item[];
  /** The statement as written, including WITH queries and parentheses. */
  readonly root: Query;
  /** The executed statement: after WITH, parentheses and `SET STATEMENT … FOR`; for a set operation, its first part. */
  readonly main: Query;
  /** All nodes, each before its children. */
  readonly nodes: readonly SqlNode[];
}

/** Any parsed SQL: a statement, a view's query, a function body. */
export interface ParsedSql {
  readonly dialect: Dialect;
  readonly pieces: { readonly tree: SqlTree };
}

/** The node and all its descendants, each before its children. */
export function descendants(node: SqlNode): SqlNode[] {
  const found: SqlNode[] = [];
  const open: SqlNode[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    for (let index = next.children.length - 1; index >= 0; index -= 1) {
      const child = next.children[index];
      if (child !== undefined) open.push(child);
    }
  }
  return found;
}

/** The innermost node that contains each item. Runs in linear time. */
export function nodesByItem({ items, root }: SqlTree): SqlNode[] {
  const found = new Array<SqlNode>(items.length).fill(root);
  const open: SqlNode[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    let at = next.first;
    for (const { first, last } of next.children) {
      for (; at < first; at += 1) found[at] = next;
      at = Math.max(at, last + 1);
    }
    for (; at <= next.last; at += 1) found[at] = next;
    open.push(...next.children);
  }
  return found;
}

/** The ancestors of the node, innermost first. */
export function* ancestors(node: SqlNode): Generator<SqlNode> {
  for (let around = node.parent; around !== undefined; around = around.parent) yield around;
}

/** Whether the node is between array brackets, where a colon makes a slice. */
export function isSlice(node: SqlNode): boolean {
  return node.parent?.kind === 'access' && node.parent.value !== node;
}

/** The first clause with that name in the query itself. */
export function clauseOf(query: Query, name: string): Clause | undefined {
  return query.clauses.find((clause) => clause.name === name);
}

/** The expression without surrounding parentheses. */
export function unwrapped(node: SqlNode): SqlNode {
  let inner = node;
  while (inner.kind === 'parentheses' && inner.elements.length === 1) inner = inner.elements[0] ?? inner;
  return inner;
}

/** The outermost parentheses that contain only this node: `((:[x]))`. */
export function wrapped(node: SqlNode): SqlNode {
  let outer = node;
  while (outer.parent?.kind === 'parentheses' && outer.parent.elements.length === 1 && !isRow(outer.parent))
    outer = outer.parent;
  return outer;
}

/** True for a row of VALUES and a list after IN: their parentheses are more than grouping. */
export function isRow({ parent }: Parentheses): boolean {
  if (parent?.kind === 'clause') return parent.name === 'VALUES';
  return parent?.kind === 'operation' && /(?:^| )IN$/.test(parent.operator) && parent.operands.length === 2;
}
