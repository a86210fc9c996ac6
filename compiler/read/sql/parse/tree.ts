/** The tree of a SQL text: statements, their clauses, the tables of FROM, expressions. Every node knows its items, its parent and its clause. */
import type { Expression } from '../../expression/ast.js';
import type { Dialect } from '../dialect.js';
import type { Token } from '../lexer/token.js';

/** A significant token: no white space, no comment. */
export interface Item {
  readonly token: Token;
  /** Index of the token among all tokens of the text. */
  readonly index: number;
  /** A word in upper case, an operator as it is, and empty for anything else: keywords are compared with it. */
  readonly word: string;
  /** For `(` and `[`: index of the item that closes it; -1 when it is not closed. */
  close: number;
}

/** Set for the whole tree when it is complete. */
interface Surroundings {
  /** Undefined for the statement itself. */
  parent?: SqlNode;
  /** The clause around the node, in the same query. */
  clause?: Clause;
  /** The innermost query around the node. */
  query?: Query;
}

interface Node extends Surroundings {
  /** Its first and last item. */
  readonly first: number;
  readonly last: number;
  /** In the order of the text. */
  readonly children: readonly SqlNode[];
}

/** A statement, or a query inside of one. */
export interface Query extends Node {
  readonly kind: 'query';
  /** In upper case: SELECT, VALUES, INSERT …; that of the first part of a set operation. Empty for an unreadable one. */
  readonly verb: string;
  readonly verbItem: number;
  readonly with: readonly WithQuery[];
  readonly isRecursive: boolean;
  /** The parts of a set operation; the source of an INSERT; the statement after EXPLAIN, `CREATE … AS`, `SET STATEMENT … FOR`. */
  readonly parts: readonly Query[];
  /** UNION, INTERSECT … between the parts: one less than parts. */
  readonly operators: readonly string[];
  /** A set operation, a query in parentheses with clauses after it, or `SET STATEMENT … FOR`: its parts are the queries. */
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
 * An unknown clause has no name.
 */
export interface Clause extends Node {
  readonly kind: 'clause';
  readonly name: string;
  /** DISTINCT, ALL, SQL_CALC_FOUND_ROWS; MATCHED; the words of a lock. */
  readonly modifiers: readonly string[];
}

/** An element of a list of columns. */
export interface Column extends Node {
  readonly kind: 'column';
  readonly value: SqlNode;
  /** The item of its alias. */
  readonly alias: number | undefined;
}

/** An element of ORDER BY. */
export interface SortKey extends Node {
  readonly kind: 'sort-key';
  readonly value: SqlNode;
}

/** A table that is read or changed. */
export interface Table extends Node {
  readonly kind: 'table';
  readonly name: Name;
  readonly alias: number | undefined;
}

/** A query, a function or rows in FROM. */
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
  /** ON or USING. */
  readonly condition: Clause | undefined;
}

/** `a = 1` of SET; of `(a, b) = (1, 2)` the targets are several. */
export interface Assignment extends Node {
  readonly kind: 'assignment';
  readonly targets: readonly SqlNode[];
  readonly value: SqlNode | undefined;
}

/** A name with its qualifiers, and `t.*`. */
export interface Name extends Node {
  readonly kind: 'name';
  /** The items of its parts. */
  readonly parts: readonly number[];
}

/** `*`, `t.*`. */
export interface Star extends Node {
  readonly kind: 'star';
}

/** A string, a number, or a word such as NULL. */
export interface Constant extends Node {
  readonly kind: 'string' | 'number' | 'word';
}

export interface Placeholder extends Node {
  readonly kind: 'placeholder';
  readonly expression: Expression | undefined;
}

/** `@a`, `@@global.b` of MySQL. */
export interface Variable extends Node {
  readonly kind: 'variable';
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly name: Name;
  readonly arguments: readonly SqlNode[];
  /** The separator before each argument: empty, a comma, or FROM, FOR, USING, IN, AS … of a function's own syntax. */
  readonly separators: readonly string[];
  /** DISTINCT, ALL, BOTH, LEADING, TRAILING, VARIADIC. */
  readonly modifiers: readonly string[];
  /** The item of `(`. */
  readonly open: number;
  /** ORDER, SEPARATOR; after the parenthesis WITHIN, FILTER, OVER. */
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

/** The name of a type, with lengths, time zones, brackets. */
export interface Type extends Node {
  readonly kind: 'type';
  /** Its words in upper case without parts in parentheses: `TIMESTAMP WITH TIME ZONE`. */
  readonly name: string;
  readonly isArray: boolean;
}

/** Operators and conditions; NOT of `NOT IN` is in the operator. AND, OR and `,` have any number of operands. */
export interface Operation extends Node {
  readonly kind: 'operation';
  /** In upper case: `=`, `->>`, `AND`, `IN`, `NOT IN`, `IS NOT NULL`, `IS DISTINCT FROM`, `BETWEEN`, `LIKE` … */
  readonly operator: string;
  readonly operands: readonly SqlNode[];
  /** The first item of the operator; that of the first of several. */
  readonly operatorItem: number;
  readonly isPrefix: boolean;
}

/** `(a)`, `(a, b)`, a row of VALUES, the list after IN. */
export interface Parentheses extends Node {
  readonly kind: 'parentheses';
  readonly elements: readonly SqlNode[];
}

/** A query in parentheses. */
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

/** Text that the parser does not understand. */
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
  /** The statement as it is written, with its WITH queries and parentheses. */
  readonly root: Query;
  /** The executed statement: after WITH, parentheses and `SET STATEMENT … FOR`; the first part of a set operation. */
  readonly main: Query;
  /** All nodes, each before its children. */
  readonly nodes: readonly SqlNode[];
}

/** The source of facts: a statement, or any text with a tree. */
export interface ParsedSql {
  readonly dialect: Dialect;
  readonly pieces: { readonly tree: SqlTree };
}

/** The node and everything in it, each node before its children. */
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

/** The innermost node around each item, in time linear in the tree. */
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

/** The nodes around it, from the inside. */
export function* ancestors(node: SqlNode): Generator<SqlNode> {
  for (let around = node.parent; around !== undefined; around = around.parent) yield around;
}

/** Whether the node is between the brackets of an array, where a colon makes a slice. */
export function isSlice(node: SqlNode): boolean {
  return node.parent?.kind === 'access' && node.parent.value !== node;
}

/** The first clause of that name of the query itself. */
export function clauseOf(query: Query, name: string): Clause | undefined {
  return query.clauses.find((clause) => clause.name === name);
}

/** The expression without parentheses around it. */
export function unwrapped(node: SqlNode): SqlNode {
  let inner = node;
  while (inner.kind === 'parentheses' && inner.elements.length === 1) inner = inner.elements[0] ?? inner;
  return inner;
}

/** The outermost node that is this one in parentheses: `((:[x]))`. */
export function wrapped(node: SqlNode): SqlNode {
  let outer = node;
  while (outer.parent?.kind === 'parentheses' && outer.parent.elements.length === 1 && !isRow(outer.parent))
    outer = outer.parent;
  return outer;
}

/** A row of VALUES, and a list after IN: their parentheses are more than grouping. */
export function isRow({ parent }: Parentheses): boolean {
  if (parent?.kind === 'clause') return parent.name === 'VALUES';
  return parent?.kind === 'operation' && /(?:^| )IN$/.test(parent.operator) && parent.operands.length === 2;
}
