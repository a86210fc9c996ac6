/** Whether columns of a result tell all its rows apart, by the keys of its tables and by how they are joined. */
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
import { lastPart, plain } from './server-names.js';

/** A table of the database, with names in lower case. */
export interface KeyedTable {
  readonly columns: readonly string[];
  /** Columns that no two rows have alike, if they are not null. */
  readonly keys: readonly (readonly string[])[];
}

/** Why the columns (names of the result in lower case) may not tell all rows apart, in words; undefined where they do. */
export function repeatedRows(
  { pieces: { tree } }: ParsedSql,
  columns: readonly string[],
  tableOf: (name: string) => KeyedTable | undefined,
): string | undefined {
  const { root, main } = tree;
  if (root.operators.length > 0) return 'several queries give the rows';
  return new Rows(tree, main, columns, tableOf).problem();
}

class Rows {
  /** The tables of FROM by what they are called. */
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
        this.tables.set(this.calledIn(node), { name, known: tableOf(name) });
      }
  }

  problem(): string | undefined {
    const group = clauseOf(this.query, 'GROUP');
    if (group !== undefined) {
      const isWhole = group.children.every((node) => {
        const value = node.kind === 'sort-key' ? unwrapped(node.value) : node;
        return value.kind === 'name' && this.columns.includes(lastPart(this.tree, value));
      });
      return isWhole ? undefined : 'GROUP BY has other columns';
    }
    if (this.sources().some(({ kind }) => kind !== 'table')) return 'a query in FROM has no key';
    const unknown = [...this.tables.values()].find(({ known }) => known === undefined);
    if (unknown !== undefined) return `'${unknown.name}' is no table whose keys are known`;
    const own = this.selected();
    const bases = [...this.tables].filter(([called, { known }]) =>
      known?.keys.some((key) => key.every((column) => own.get(called)?.has(column) === true)),
    );
    if (bases.length === 0) return 'no unique key of a table consists of them';
    const repeats = bases.map(([called]) => this.repeatedBy(called));
    return repeats.includes(undefined) ? undefined : `the join with '${repeats[0] ?? ''}' may repeat a row`;
  }

  /** The table of which several rows may belong to one of `base`. */
  private repeatedBy(base: string): string | undefined {
    const single = new Set([base]);
    const equal = this.equalColumns();
    for (let isMore = true; isMore;) {
      isMore = false;
      for (const [called, { known }] of this.tables) {
        if (single.has(called)) continue;
        const fixed = new Set(
          equal.flatMap(({ table, column, others }) =>
            table === called && others.every((other) => single.has(other)) ? [column] : [],
          ),
        );
        if (known?.keys.some((key) => key.every((column) => fixed.has(column))) !== true) continue;
        single.add(called);
        isMore = true;
      }
    }
    return [...this.tables.keys()].find((called) => !single.has(called));
  }

  /** Columns that conditions set equal to a value, which is made of columns of the other tables. */
  private equalColumns(): {
    readonly table: string;
    readonly column: string;
    readonly others: readonly string[];
  }[] {
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
        const others = this.ownersIn(other);
        if (column.kind !== 'name' || table === undefined || others === undefined) return [];
        return [{ table, column: lastPart(this.tree, column), others }];
      });
  }

  /** The tables whose columns are in the value; undefined where that is unknown. */
  private ownersIn(node: SqlNode): readonly string[] | undefined {
    const owners = descendants(node).flatMap((one) => {
      if (one.kind === 'subquery' || one.kind === 'opaque') return [undefined];
      return one.kind === 'name' && one.parent?.kind !== 'call' ? [this.ownerOf(one)] : [];
    });
    const known = owners.filter((owner) => owner !== undefined);
    return known.length === owners.length ? known : undefined;
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

  /** The columns of tables that are among the wanted columns of the result, by what the tables are called. */
  private selected(): ReadonlyMap<string, ReadonlySet<string>> {
    const found = new Map<string, Set<string>>();
    const add = (called: string, column: string): void => {
      found.set(called, (found.get(called) ?? new Set()).add(column));
    };
    for (const column of clauseOf(this.query, 'SELECT')?.children ?? []) {
      const value = column.kind === 'column' ? unwrapped(column.value) : undefined;
      if (value?.kind === 'star' || (value?.kind === 'name' && lastPart(this.tree, value) === '*')) {
        for (const [called, { known }] of this.tables)
          for (const name of known?.columns ?? []) if (this.columns.includes(name)) add(called, name);
      } else if (column.kind === 'column' && value?.kind === 'name') {
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
