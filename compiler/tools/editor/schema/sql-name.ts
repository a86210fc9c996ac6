/** The table or column at a position in a statement, and its definition in the schema. */
import type { Analysis } from '../../../analyze/operations/analysis.js';
import { allFulfillments, isStatement } from '../../../read/config/walk.js';
import {
  ancestors,
  nodesByItem,
  type Query,
  type SqlTree,
  type Table,
} from '../../../read/sql/parse/tree.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { plain } from '../../../read/sql/facts/server-names.js';
import { withQueries } from '../../../read/sql/facts/table-names.js';
import type { Source, Span } from '../../../read/source.js';
import { operationAt } from '../readable-values.js';
import { definedTables, named, type DefinedColumn, type DefinedTable } from './schema-tables.js';

/** Finds the SQL files that define a datasource's tables. */
export type FindSchema = (datasource: string) => readonly Source[];

/** A name in a statement. */
export interface SqlName {
  readonly span: Span;
  readonly table: DefinedTable;
  /** Undefined for the table itself or its alias. */
  readonly column?: DefinedColumn;
}

/** Empty if the schema does not define the name; several if tables share an unqualified column. */
export function sqlNamesAt(
  analysis: Analysis,
  source: Source,
  offset: number,
  schema: FindSchema,
): readonly SqlName[] {
  const found = statementAt(analysis, source, offset);
  if (found === undefined) return [];
  const { statement, datasource } = found;
  const { tree, text } = statement.pieces;
  const index = tree.items.findIndex(({ token: { kind, start, end } }) => {
    const span = text.spanOf(start, end);
    return (kind === 'word' || kind === 'quoted-name') && span.start <= offset && offset <= span.end;
  });
  const token = tree.items[index]?.token;
  if (token === undefined) return [];
  const span = text.spanOf(token.start, token.end);
  const sources = schema(datasource);
  const tables = sources.length === 0 ? [] : definedTables(sources, statement.dialect);
  return new Resolver(tree, tables).at(index).map((name) => ({ span, ...name }));
}

/** The statement that contains the offset. */
function statementAt(
  analysis: Analysis,
  source: Source,
  offset: number,
): { readonly statement: SqlStatement; readonly datasource: string } | undefined {
  const operation = operationAt(analysis, source, offset)?.operation;
  for (const { fulfillment } of allFulfillments(operation?.fulfillments ?? [])) {
    if (!('instructions' in fulfillment)) continue;
    for (const { action } of fulfillment.instructions) {
      if (!isStatement(action)) continue;
      const { span } = action.pieces.text;
      if (span.start <= offset && offset <= span.end)
        return { statement: action, datasource: fulfillment.datasource.value };
    }
  }
  return undefined;
}

type Meant = Omit<SqlName, 'span'>;

/** Resolves the names of one statement. */
class Resolver {
  constructor(
    private readonly tree: SqlTree,
    private readonly tables: readonly DefinedTable[],
  ) {}

  /** `index` is the index of a token. */
  at(index: number): readonly Meant[] {
    const node = nodesByItem(this.tree)[index];
    // Includes table aliases.
    if (node?.kind === 'table') return this.#table(node);
    if (node?.kind !== 'name') return [];
    const { parent, parts } = node;
    if (parent?.kind === 'table') return this.#table(parent);
    if (parent?.kind === 'call' && parent.name === node) return [];
    const position = parts.indexOf(index);
    const [owner, column] = parts.length === 1 ? [undefined, parts[0]] : parts.slice(-2);
    const scopes = [...(node.query === undefined ? [] : [node.query]), ...ancestors(node)].filter(
      (one) => one.kind === 'query',
    );
    if (owner !== undefined) {
      const called = scopes.flatMap((query) => this.#called(query, this.#text(owner)))[0];
      const table = called === undefined ? [] : this.#table(called);
      return position === parts.length - 1 ? table.flatMap((one) => this.#column(one, column)) : table;
    }
    for (const query of scopes) {
      const found = this.#tablesOf(query)
        .flatMap((one) => this.#table(one))
        .flatMap((one) => this.#column(one, column));
      if (found.length > 0) return found;
    }
    return [];
  }

  #tablesOf(query: Query): readonly Table[] {
    return this.tree.nodes.filter((one) => one.kind === 'table' && one.query === query) as Table[];
  }

  /** The table of the query with this alias or name; `excluded` is the row that ON CONFLICT did not insert. */
  #called(query: Query, name: string): readonly Table[] {
    if (name === 'excluded') return this.#tablesOf(query);
    return this.#tablesOf(query).filter(
      ({ alias, name: { parts } }) => this.#text(alias ?? parts.at(-1)) === name,
    );
  }

  #table({ name: { parts } }: Table): readonly Meant[] {
    const name = this.#text(parts.at(-1));
    if (parts.length === 1 && withQueries(this.tree).has(name)) return [];
    const table = named(this.tables, name);
    return table === undefined ? [] : [{ table }];
  }

  #column({ table }: Meant, index: number | undefined): readonly Meant[] {
    const column = named(table.columns, this.#text(index));
    return column === undefined ? [] : [{ table, column }];
  }

  #text(index: number | undefined): string {
    return plain(index === undefined ? undefined : this.tree.items[index]);
  }
}
