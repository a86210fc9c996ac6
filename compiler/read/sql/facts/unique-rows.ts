/** Whether result columns are unique, according to the keys of the tables and their joins. */
import {
  clauseOf,
  descendants,
  unwrapped,
  type Name,
  type ParsedSql,
  type Query,
  type SqlNode,
  type SqlTree,
  type Table,
} from '../parse/tree.js';
import { equalities } from './equalities.js';
import { wordSet } from '../../wordset.js';
import { lastPart, plain } from './server-names.js';

/** A database table, with names in lower case. */
export interface KeyedTable {
  readonly columns: readonly string[];
  /** Unique keys: no two rows have the same non-null values in all columns of a key. */
  readonly keys: readonly (readonly string[])[];
}

/** The reason why the columns (lower-case result names) may not be unique; undefined if they are unique. */
export function repeatedRows(
  { pieces: { tree } }: ParsedSql,
  columns: readonly string[],
  tableOf: (name: string) => KeyedTable | undefined,
): string | undefined {
  const { root, main } = tree;
  if (root.operators.length > 0) return 'several queries give the rows';
  return new Rows(tree, main, columns, tableOf).problem();
}

/** Whether a SELECT returns at most one row because its conditions set a key of every table equal to a value. */
export function hasOneRow(statement: ParsedSql, tableOf: (name: string) => KeyedTable | undefined): boolean {
  const { tree } = statement.pieces;
  const list = clauseOf(tree.main, 'SELECT');
  // A function may return several rows.
  const isPlain =
    list !== undefined && descendants(list).every(({ kind }) => kind !== 'call' && kind !== 'opaque');
  const isFound = clauseOf(tree.main, 'FROM') !== undefined && clauseOf(tree.main, 'GROUP') === undefined;
  return isPlain && isFound && repeatedRows(statement, [], tableOf) === undefined;
}

/** `table` is the table's name in the query. */
interface OwnedColumn {
  readonly table: string;
  readonly column: string;
}

function isDetermined(known: KeyedTable | undefined, columns: ReadonlySet<string> | undefined): boolean {
  return known?.keys.some((key) => key.every((column) => columns?.has(column) === true)) === true;
}

const quantifiers = wordSet('any some all');

class Rows {
  /** The tables of FROM, keyed by their names in the query. */
  private readonly tables = new Map<
    string,
    { readonly name: string; readonly known: KeyedTable | undefined }
  >();

  constructor(
    private readonly tree: SqlTree,
    private readonly query: Query,
    private readonly columns: readonly string[],
    tableOf: (name: string) => KeyedTable | undefined,
  ) {
    for (const node of this.sources())
      if (node.kind === 'table') {
        const name = lastPart(tree, node.name);
        const schema = plain(tree.items[node.name.parts.at(-2) ?? -1]);
        const known = tableOf(schema === '' ? name : `${schema}.${name}`) ?? tableOf(name);
        this.tables.set(this.calledIn(node), { name, known });
      }
  }

  problem(): string | undefined {
    const group = clauseOf(this.query, 'GROUP');
    if (group !== undefined) {
      const isWhole = group.children.every((node) => node.kind === 'sort-key' && this.isWanted(node.value));
      return isWhole ? undefined : 'GROUP BY has other columns';
    }
    if (this.sources().some(({ kind }) => kind !== 'table')) return 'a query in FROM has no key';
    const unknown = [...this.tables.values()].find(({ known }) => known === undefined);
    if (unknown !== undefined) return `'${unknown.name}' is no table whose keys are known`;
    const determined = this.determined();
    const isSingle = ([called, { known }]: [string, { known: KeyedTable | undefined }]): boolean =>
      isDetermined(known, determined.get(called));
    const repeated = [...this.tables].find((table) => !isSingle(table));
    if (repeated === undefined) return undefined;
    return [...this.tables].some(isSingle)
      ? `the join with '${repeated[0]}' may repeat a row`
      : 'no unique key of a table consists of them';
  }

  private isWanted(node: SqlNode): boolean {
    const value = unwrapped(node);
    return value.kind === 'name' && this.columns.includes(lastPart(this.tree, value));
  }

  /**
   * The columns determined by the wanted columns, keyed by table name in the query: rows with equal wanted columns also have equal values
   * in these columns.
   */
  private determined(): ReadonlyMap<string, ReadonlySet<string>> {
    const found = this.selected();
    const add = ({ table, column }: OwnedColumn): boolean => {
      const columns = found.get(table) ?? new Set();
      found.set(table, columns);
      return columns.size < columns.add(column).size;
    };
    const has = ({ table, column }: OwnedColumn): boolean => found.get(table)?.has(column) === true;
    const equal = this.equalColumns();
    for (let isMore = true; isMore;) {
      const byEquality = equal.filter(({ others }) => others.every(has));
      const byKey = [...this.tables].flatMap(([table, { known }]) =>
        isDetermined(known, found.get(table))
          ? (known?.columns ?? []).map((column): OwnedColumn => ({ table, column }))
          : [],
      );
      isMore = [...byEquality, ...byKey].map(add).includes(true);
    }
    return found;
  }

  /** The columns that conditions set equal to a value, and the columns (`others`) on which that value depends. */
  private equalColumns(): (OwnedColumn & { readonly others: readonly OwnedColumn[] })[] {
    const joins = this.tree.nodes.flatMap((node) =>
      node.kind === 'join' && node.query === this.query && node.condition?.name === 'ON'
        ? node.condition.children
        : [],
    );
    const where = clauseOf(this.query, 'WHERE')?.children ?? [];
    return [...joins, ...where]
      .flatMap(equalities)
      .flatMap(([left, right]) => [[left, right] as const, [right, left] as const])
      .flatMap(([side, other]) => {
        const column = unwrapped(side);
        const table = column.kind === 'name' ? this.ownerOf(column) : undefined;
        const others = this.columnsIn(other);
        if (column.kind !== 'name' || table === undefined || others === undefined) return [];
        return [{ table, column: lastPart(this.tree, column), others }];
      });
  }

  /** The columns on which the value depends; undefined if unknown. */
  private columnsIn(node: SqlNode): readonly OwnedColumn[] | undefined {
    const columns = descendants(node).flatMap((one): (OwnedColumn | undefined)[] => {
      if (one.kind === 'subquery' || one.kind === 'opaque' || this.isQuantifier(one)) return [undefined];
      if (one.kind !== 'name' || one.parent?.kind === 'call') return [];
      const table = this.ownerOf(one);
      return [table === undefined ? undefined : { table, column: lastPart(this.tree, one) }];
    });
    const known = columns.filter((column) => column !== undefined);
    return known.length === columns.length ? known : undefined;
  }

  /** `= ANY (…)` compares with any of several values. */
  private isQuantifier(node: SqlNode): boolean {
    return node.kind === 'call' && quantifiers.has(lastPart(this.tree, node.name));
  }

  private ownerOf({ parts }: Name): string | undefined {
    const { items } = this.tree;
    if (parts.length > 1) {
      const called = plain(items[parts.at(-2) ?? -1]);
      return this.tables.has(called) ? called : undefined;
    }
    const column = plain(items[parts[0] ?? -1]);
    const [owner, ...others] = [...this.tables].filter(([, { known }]) => known?.columns.includes(column));
    return others.length === 0 ? owner?.[0] : undefined;
  }

  /** The table columns among the wanted result columns, keyed by table name in the query. */
  private selected(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    const add = (called: string, column: string): void => {
      found.set(called, (found.get(called) ?? new Set()).add(column));
    };
    const list = clauseOf(this.query, 'SELECT')?.children ?? [];
    for (const column of list.filter((node) => node.kind === 'column')) {
      const value = unwrapped(column.value);
      if (value.kind === 'star' || (value.kind === 'name' && lastPart(this.tree, value) === '*')) {
        for (const [called, { known }] of this.tables)
          for (const name of known?.columns ?? []) if (this.columns.includes(name)) add(called, name);
      } else if (value.kind === 'name') {
        const alias =
          column.alias === undefined ? lastPart(this.tree, value) : plain(this.tree.items[column.alias]);
        const owner = this.ownerOf(value);
        if (owner !== undefined && this.columns.includes(alias)) add(owner, lastPart(this.tree, value));
      }
    }
    return found;
  }

  private sources(): SqlNode[] {
    const from = clauseOf(this.query, 'FROM');
    return this.tree.nodes.filter(
      (node) =>
        (node.kind === 'table' || node.kind === 'derived') &&
        node.query === this.query &&
        from !== undefined &&
        node.first >= from.first &&
        node.last <= from.last,
    );
  }

  private calledIn({ alias, name }: Table): string {
    return alias === undefined ? lastPart(this.tree, name) : plain(this.tree.items[alias]);
  }
}
