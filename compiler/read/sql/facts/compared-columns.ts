/**
 * Finds tables with a column that a statement does not compare with a trusted value: in WHERE, in joins, through queries in FROM and WITH,
 * and in written values.
 */
import type { Expression } from '../../expression/ast.js';
import type { Dialect } from '../dialect.js';
import {
  ancestors,
  clauseOf,
  descendants,
  unwrapped,
  type Column,
  type Name,
  type ParsedSql,
  type Query,
  type SqlNode,
  type SqlTree,
  type Table,
} from '../parse/tree.js';
import { equalities } from './equalities.js';
import { lastPart, plain } from './server-names.js';
import { assignmentsIn, rowsOf } from './written-columns.js';
import { withQueries } from './table-names.js';

/** The column to check in a statement, and the values that are trusted. */
export interface ComparedColumn {
  /** The column name in lower case. */
  readonly column: string;
  /** Whether the table (lower-case name without schema) has the column or might have it. */
  readonly hasColumn: (table: string) => boolean;
  /** The table's columns in order, in lower case; undefined if unknown. */
  readonly columnsOf: (table: string) => readonly string[] | undefined;
  readonly isTrusted: (value: Expression) => boolean;
}

export interface UncomparedTable {
  readonly table: string;
  /** The table's node in the statement. */
  readonly node: SqlNode;
  /** True if the statement writes the row; false if it reads or finds the row. */
  readonly isWritten: boolean;
}

export function uncomparedTables(statement: ParsedSql, question: ComparedColumn): UncomparedTable[] {
  return new Comparison(statement, question).uncompared();
}

class Comparison {
  private readonly tree: SqlTree;
  private readonly dialect: Dialect;

  constructor(
    statement: ParsedSql,
    private readonly question: ComparedColumn,
  ) {
    this.tree = statement.pieces.tree;
    this.dialect = statement.dialect;
  }

  uncompared(): UncomparedTable[] {
    const { tree } = this;
    const queries = withQueries(tree);
    return tree.nodes.flatMap((node): UncomparedTable[] => {
      if (node.kind !== 'table') return [];
      const table = lastPart(tree, node.name);
      if ((node.name.parts.length === 1 && queries.has(table)) || !this.question.hasColumn(table)) return [];
      const isInserted = node.clause?.name === 'INTO' && node.query?.verb !== 'SELECT';
      if (isInserted && node.query !== undefined)
        return this.isWrittenByCaller(node.query, table) ? [] : [{ table, node, isWritten: true }];
      if (!this.isFound(node)) return [{ table, node, isWritten: false }];
      return this.isMoved(node) ? [{ table, node, isWritten: true }] : [];
    });
  }

  /** Whether the statement only uses rows of this table (of FROM, UPDATE or DELETE) whose column equals a trusted value. */
  private isFound(table: Table): boolean {
    const { query } = table;
    return query !== undefined && this.isCompared(this.calledIn(table), query, table);
  }

  private calledIn({ alias, name }: Table): string {
    return alias === undefined ? lastPart(this.tree, name) : plain(this.tree.items[alias]);
  }

  /**
   * Whether a condition of the query compares the column of the source with a trusted value, or an outer query does so with the result
   * column. `called` is the source's name or alias.
   */
  private isCompared(called: string, query: Query, source: SqlNode): boolean {
    if (this.trustedColumns(query, source).has(called)) return true;
    return this.isComparedAround(query, called);
  }

  /** The only source that can own an unqualified column; undefined if several can. */
  private onlyOwner(query: Query): string | undefined {
    const sources = this.sourcesOf(query);
    const owners = sources.filter(
      (node) =>
        sources.length === 1 ||
        (node.kind === 'table' && this.question.hasColumn(lastPart(this.tree, node.name))),
    );
    const [only] = owners.length === 1 ? owners : [];
    if (only?.kind === 'table') return this.calledIn(only);
    return only?.kind === 'derived' && only.alias !== undefined
      ? plain(this.tree.items[only.alias])
      : undefined;
  }

  /** The tables and derived tables of FROM, UPDATE, DELETE and USING, without those of nested queries. */
  private sourcesOf(query: Query): SqlNode[] {
    return this.tree.nodes.filter(
      (node) => (node.kind === 'table' || node.kind === 'derived') && node.query === query,
    );
  }

  /** Whether the query returns the column to a FROM clause or as a WITH query, and the column is compared there. */
  private isComparedAround(query: Query, called: string): boolean {
    const index = this.indexOfColumn(query, called);
    if (index === -1) return false;
    const { parent } = query;
    // A UNION uses the column names of its first query; columns of the other queries are matched by position.
    if (parent?.kind === 'query' && parent.isCombined)
      return this.indexOfColumn(parent, '') === index && this.isComparedAround(parent, '');
    if (parent?.kind === 'with-query') {
      const name = plain(this.tree.items[parent.name]);
      const uses = this.tree.nodes.filter(
        (node): node is Table => node.kind === 'table' && lastPart(this.tree, node.name) === name,
      );
      return uses.length > 0 && uses.every((use) => this.isFound(use));
    }
    for (const around of ancestors(query)) {
      if (around.kind === 'subquery' || around.kind === 'parentheses') continue;
      if (around.kind !== 'derived' || around.query === undefined || around.alias === undefined) return false;
      return this.isCompared(plain(this.tree.items[around.alias]), around.query, around);
    }
    return false;
  }

  /** The index of the column in the query's result; -1 if the query does not return the column. */
  private indexOfColumn(query: Query, called: string): number {
    if (clauseOf(query, 'LIMIT') !== undefined || clauseOf(query, 'FETCH') !== undefined) return -1;
    const [first] = query.parts;
    if (query.isCombined && first !== undefined) return this.indexOfColumn(first, '');
    const columns = clauseOf(query, 'SELECT')?.children ?? [];
    return columns.findIndex((column) => column.kind === 'column' && this.isColumnOf(called, column));
  }

  private isColumnOf(called: string, column: Column): boolean {
    const value = unwrapped(column.value);
    if (value.kind === 'star') return true;
    const alias = column.alias === undefined ? undefined : plain(this.tree.items[column.alias]);
    if (value.kind !== 'name' || (alias ?? this.question.column) !== this.question.column) return false;
    const owner = this.ownerOf(value);
    return owner !== undefined && (owner === '' || called === '' || owner === called);
  }

  /** The source of the column in the name, empty if unqualified; undefined for a different column. */
  private ownerOf({ parts }: Name): string | undefined {
    const { items } = this.tree;
    if (plain(items[parts.at(-1) ?? -1]) !== this.question.column) return undefined;
    return parts.length === 1 ? '' : plain(items[parts.at(-2) ?? -1]);
  }

  /** The sources whose column equals a trusted value, according to the conditions that apply to all rows of `source`. */
  private trustedColumns(query: Query, source: SqlNode): ReadonlySet<string> {
    const equal: (readonly [string, string])[] = [];
    const trusted = new Set<string>();
    for (const condition of this.conditionsFor(query, source))
      for (const [one, other] of equalities(condition)) {
        const [left, right] = [this.sideOf(one, query), this.sideOf(other, query)];
        if (left === undefined || right === undefined) continue;
        if (left === true && right !== true) trusted.add(right);
        else if (right === true && left !== true) trusted.add(left);
        else if (left !== true && right !== true) equal.push([left, right]);
      }
    // Columns of outer queries that are trusted there are also trusted in a subquery.
    const outer = this.outerQuery(query);
    if (outer !== undefined && equal.length > 0)
      for (const name of this.trustedColumns(outer.query, outer.node)) trusted.add(name);
    for (let isMore = true; isMore;) {
      isMore = false;
      for (const [one, other] of equal) {
        if (trusted.has(one) === trusted.has(other)) continue;
        trusted.add(one).add(other);
        isMore = true;
      }
    }
    return trusted;
  }

  private outerQuery(query: Query): { readonly query: Query; readonly node: SqlNode } | undefined {
    for (const around of ancestors(query)) {
      if (around.kind === 'derived' && !around.isLateral) return undefined;
      if (around.kind === 'with-query') return undefined;
      if (around.kind === 'query')
        return around.isCombined ? this.outerQuery(around) : { query: around, node: query };
    }
    return undefined;
  }

  /** WHERE, and the conditions of joins that do not keep unmatched rows of the source. */
  private conditionsFor(query: Query, source: SqlNode): SqlNode[] {
    const where = clauseOf(query, 'WHERE')?.children ?? [];
    const merge = query.verb === 'MERGE' ? (clauseOf(query, 'ON')?.children ?? []) : [];
    const joins = this.tree.nodes.flatMap((node) => {
      if (node.kind !== 'join' || node.query !== query || node.condition?.name !== 'ON') return [];
      const isOuter =
        node.type === 'FULL' ||
        (node.type === 'LEFT' && contains(node.left, source)) ||
        (node.type === 'RIGHT' && contains(node.right, source));
      return isOuter ? [] : node.condition.children;
    });
    return [...where, ...merge, ...joins];
  }

  /** True for a trusted value; otherwise the name of the column's source. */
  private sideOf(node: SqlNode, query: Query): string | true | undefined {
    const value = plainValue(node);
    if (value.kind === 'name')
      return this.ownerOf(value) === '' ? this.onlyOwner(query) : this.ownerOf(value);
    return this.isTrustedValue(value) ? true : undefined;
  }

  private isTrustedValue(node: SqlNode): boolean {
    const value = plainValue(node);
    return (
      value.kind === 'placeholder' &&
      value.expression !== undefined &&
      this.question.isTrusted(value.expression)
    );
  }

  /** Whether an UPDATE sets the column to an untrusted value. */
  private isMoved(table: Table): boolean {
    const { query } = table;
    if (query?.verb !== 'UPDATE') return false;
    const set = assignmentsIn(clauseOf(query, 'SET')?.children ?? []);
    return set.some(
      ({ column, value }) =>
        column?.kind === 'name' &&
        lastPart(this.tree, column) === this.question.column &&
        !this.isTrustedValue(value),
    );
  }

  /** Whether an INSERT or MERGE sets the column of all rows to a trusted value. */
  private isWrittenByCaller(query: Query, table: string): boolean {
    const named = clauseOf(query, 'COLUMNS')?.children;
    const columns =
      named?.map((one) => (one.kind === 'name' ? lastPart(this.tree, one) : '')) ??
      this.question.columnsOf(table);
    const index = columns?.indexOf(this.question.column) ?? -1;
    if (index === -1 || !this.keepsOthers(query)) return false;
    const rows = rowsOf(query);
    if (rows.length > 0)
      return rows.every((row) => row[index] !== undefined && this.isTrustedValue(row[index]));
    const [source] = query.parts;
    return source !== undefined && this.isSelectedByCaller(source, index);
  }

  private isSelectedByCaller(query: Query, index: number): boolean {
    if (query.isCombined) return query.parts.every((part) => this.isSelectedByCaller(part, index));
    const column = clauseOf(query, 'SELECT')?.children[index];
    if (column?.kind !== 'column') return false;
    const value = plainValue(column.value);
    if (this.isTrustedValue(value)) return true;
    const owner = this.sideOf(value, query);
    const [source] = this.sourcesOf(query);
    return typeof owner === 'string' && source !== undefined && this.trustedColumns(query, source).has(owner);
  }

  /** Whether ON CONFLICT and ON DUPLICATE KEY change only existing rows with the same value in the column. */
  private keepsOthers(query: Query): boolean {
    const clause = query.clauses.find(({ name }) => name === 'CONFLICT' || name === 'DUPLICATE');
    if (clause === undefined) return true;
    const nodes = descendants(clause);
    const isChanged = nodes.some(({ kind }) => kind === 'assignment');
    const names = nodes.some(
      (node) => node.kind === 'name' && lastPart(this.tree, node) === this.question.column,
    );
    return !isChanged || (names && this.dialect === 'postgresql');
  }
}

/** The value without surrounding parentheses and casts. */
function plainValue(node: SqlNode): SqlNode {
  const value = unwrapped(node);
  return value.kind === 'cast' ? plainValue(value.value) : value;
}

function contains(around: SqlNode, node: SqlNode): boolean {
  return around.first <= node.first && node.last <= around.last;
}
