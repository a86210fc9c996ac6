/** Has databases describe the statements of a configuration: databases created from schemas, and servers. */
import {
  type KnownTable,
  noDescriptions,
  type AskedStatement,
  type StatementDescriptions,
  type SchemaError,
  type UncheckedStatement,
} from '../operations/statements/statement-descriptions.js';
import { databaseNames } from '../operations/statements/databases.js';
import type { Datasource } from '../../read/config/config-model.js';
import type { Source } from '../../read/source.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import { askServer } from './ask-server.js';
import { DiskCache } from './disk-cache.js';
import type { OpenSchemas } from './open-schemas.js';
import { type FindViewEffects, viewEffectsIn } from '../../read/sql/facts/view-effects.js';
import { askSchema } from './postgres-schema.js';
import { refusalOnRun } from './refused-changes.js';
import { searchPathOf } from '../../read/config/jdbc/search-path.js';
import { DatabaseError, type ServerResult } from './server.js';
import { serverSettings } from './server-url.js';
import { wordSet } from '../../read/wordset.js';

/** The source of a database's schema: schema files, or the URL of a server that has the schema. */
export type KnownDatabase =
  /** `isNamed`: the schema was named on the command line, not just found next to the configuration. */
  | { readonly kind: 'schema'; readonly sources: readonly Source[]; readonly isNamed?: boolean }
  | { readonly kind: 'server'; readonly url: string };

/**
 * Finds the database of a datasource; undefined if nothing is known about it. `databases` contains the names of the datasources per
 * database.
 */
export type FindDatabase = (
  name: string,
  databases: readonly (readonly string[])[],
) => KnownDatabase | undefined;

export class SchemaDatabases {
  constructor(
    private readonly find: FindDatabase,
    private readonly files: DiskCache = DiskCache.ofUser('schemas', process.env),
    private readonly open?: OpenSchemas,
    private readonly loading?: (sources: readonly Source[]) => void,
  ) {}

  /**
   * Schema files are only supported for PostgreSQL, because MariaDB cannot be embedded. Throws a DatabaseError if a server cannot be used.
   */
  async ask(
    datasources: readonly Datasource[],
    questions: () => readonly AskedStatement[],
  ): Promise<StatementDescriptions> {
    const databases = datasources.filter(({ type }) => type === 'db');
    const names = databaseNames(databases);
    const known = databases.flatMap((datasource) => {
      const database = this.find(datasource.name.value, names);
      if (database === undefined) return [];
      if (database.kind === 'server' || datasource.dialect === 'postgresql')
        return [{ datasource, database }];
      if (database.isNamed === true && datasource.dialect === 'mysql')
        throw new DatabaseError('usage', onlyServers(datasource.name.value));
      return [];
    });
    if (known.length === 0) return noDescriptions;
    const all = questions();
    const collected: Collected = {
      results: new Map(),
      errors: [],
      unchecked: [],
      tables: new Map(),
      functionsOfOwner: new Map(),
      whole: new Set(),
    };
    for (const { datasource, database } of known) {
      const own = all.filter((question) => question.datasource === datasource);
      await this.#ask(datasource, own, database, collected);
    }
    return {
      of: (statement) => collected.results.get(statement),
      errors: collected.errors,
      unchecked: collected.unchecked,
      isWhole: (datasource) => collected.whole.has(datasource),
      tables: (datasource) => collected.tables.get(datasource) ?? [],
      functionsOfOwner: (datasource) => collected.functionsOfOwner.get(datasource) ?? [],
    };
  }

  async #ask(
    datasource: Datasource,
    questions: readonly AskedStatement[],
    database: KnownDatabase,
    collected: Collected,
  ): Promise<void> {
    const ask = (texts: readonly string[]): Promise<Found> =>
      database.kind === 'schema'
        ? this.#askSchema(datasource, database.sources, texts)
        : this.#askServer(datasource, database.url, texts);
    // Ask about both forms at once: a statement refused with RETURNING may be valid without it. If both are refused, report the error
    // without RETURNING.
    const { results, ...found } = await ask(
      questions.flatMap(({ text, withoutReturning, orders = [] }) => [
        ...[text, withoutReturning].filter((one) => one !== undefined),
        ...orders.map((order) => order.text),
      ]),
    );
    const [first] = questions;
    const effects = first === undefined ? () => [] : viewEffectsIn(found.tables, first.statement.dialect);
    const isCertain = found.isWhole && !questions.some(changesSchema);
    for (const asked of questions) {
      const { text, withoutReturning } = asked;
      const whole = results.get(text);
      const isOther = withoutReturning !== undefined && isRefused(whole);
      const result = isOther ? results.get(withoutReturning) : whole;
      if (result === undefined) continue;
      if ('unchecked' in result) collected.unchecked.push({ asked, reason: result.unchecked });
      else {
        const known = withOrders(withViews(result, asked, effects), asked, results);
        const late =
          isCertain && 'description' in known
            ? refusalOnRun(isOther ? withoutReturning : text, asked, found.tables)
            : undefined;
        collected.results.set(asked.statement, {
          asked,
          result: late === undefined ? known : { refusal: late },
        });
      }
    }
    // Several datasources of one database share the same schema.
    const isKnown = (one: SchemaError): boolean =>
      collected.errors.some((other) => other.source.path === one.source.path && other.start === one.start);
    collected.errors.push(...found.errors.filter((one) => !isKnown(one)));
    collected.tables.set(
      datasource,
      found.tables.filter(({ body }) => body === undefined),
    );
    const ofOwner = found.tables.filter(({ body, isOfOwner }) => body !== undefined && isOfOwner === true);
    collected.functionsOfOwner.set(
      datasource,
      ofOwner.map(({ name }) => name),
    );
    if (isCertain) collected.whole.add(datasource);
  }

  async #askSchema(
    datasource: Datasource,
    sources: readonly Source[],
    texts: readonly string[],
  ): Promise<Found> {
    const { path, isKnown } = searchPathOf(datasource);
    const { files, open, loading } = this;
    const found = await askSchema(sources, texts, { files, searchPath: path, open, loading });
    return { ...found, isWhole: found.errors.length === 0 && isKnown };
  }

  async #askServer(
    { name, dialect, url }: Datasource,
    server: string,
    texts: readonly string[],
  ): Promise<Found> {
    const { path: schema } = searchPathOf({ url });
    const target = serverSettings({ name: name.value, dialect, schema }, server, process.env);
    const found = await askServer(target.dialect, target.settings, texts, this.files);
    return { ...found, errors: [] };
  }
}

function onlyServers(name: string): string {
  return `--schema ${name}: schemas of MySQL and MariaDB are not read. Ask a server that has the schema: --database ${name}=<url>`;
}

/** A database's results for the texts, and its state. */
interface Found {
  readonly results: ReadonlyMap<string, ServerResult>;
  readonly errors: readonly SchemaError[];
  readonly tables: readonly KnownTable[];
  readonly isWhole: boolean;
}

function isRefused(result: ServerResult | undefined): boolean {
  return result !== undefined && 'refusal' in result;
}

interface Collected {
  readonly results: Map<SqlStatement, { readonly asked: AskedStatement; readonly result: DescribeResult }>;
  readonly errors: SchemaError[];
  readonly unchecked: UncheckedStatement[];
  readonly tables: Map<Datasource, readonly KnownTable[]>;
  readonly functionsOfOwner: Map<Datasource, readonly string[]>;
  readonly whole: Set<Datasource>;
}

function withViews(
  result: DescribeResult,
  { statement }: AskedStatement,
  effects: FindViewEffects,
): DescribeResult {
  const views = 'refusal' in result ? [] : effects(statement);
  return 'refusal' in result || views.length === 0
    ? result
    : { description: { ...result.description, views } };
}

function withOrders(
  result: DescribeResult,
  { orders = [] }: AskedStatement,
  results: Found['results'],
): DescribeResult {
  if ('refusal' in result) return result;
  const refusedOrders = orders.flatMap(({ name, text }) => {
    const found = results.get(text);
    return found !== undefined && 'refusal' in found ? [{ name, message: found.refusal.message }] : [];
  });
  return refusedOrders.length === 0 ? result : { description: { ...result.description, refusedOrders } };
}

const schemaVerbs = wordSet('CREATE ALTER DROP DO CALL EXECUTE PREPARE DECLARE');

/** Settings that change which table a name refers to. */
const meaning = /\b(?:search_path|schema|role|authorization)\b/i;

/** Whether the statement may create tables or change the search path. The INTO of an INSERT in WITH does neither. */
function changesSchema({ text, statement: { verb, pieces } }: AskedStatement): boolean {
  if (verb === 'SET') return meaning.test(text);
  return (
    schemaVerbs.has(verb) ||
    pieces.tree.nodes.some(
      (node) => node.kind === 'clause' && node.name === 'INTO' && node.query?.verb === 'SELECT',
    )
  );
}
