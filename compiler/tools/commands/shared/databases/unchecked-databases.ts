/** A note on databases whose statements were not checked against a schema, and how to check them. */
import { databaseNames } from '../../../../analyze/operations/statements/databases.js';
import type { Databases } from '../../../../analyze/operations/statements/statement-descriptions.js';
import type { Datasource } from '../../../../read/config/config-model.js';
import type { FindDatabase } from '../../../../analyze/database/schema-databases.js';

export class UncheckedDatabases {
  #databases: readonly Datasource[] = [];

  /** `empty` is the part of the sentence about a folder that should contain the schema. */
  constructor(
    private readonly find: FindDatabase,
    private readonly empty?: string,
  ) {}

  /** Wraps the databases and records the datasources. */
  noting(databases: Databases): Databases {
    return {
      ask: (datasources, questions) => {
        this.#databases = datasources.filter(({ type }) => type === 'db');
        return databases.ask(datasources, questions);
      },
    };
  }

  /** Undefined if there are no such databases. */
  get note(): string | undefined {
    const names = databaseNames(this.#databases);
    const unchecked = this.#databases.filter(({ name, dialect }) => {
      const known = this.find(name.value, names);
      return known === undefined || (dialect === 'mysql' && known.kind !== 'server');
    });
    const [first] = unchecked;
    if (first === undefined) return undefined;
    const shown = unchecked.map((one) => `'${one.name.value}'`).join(', ');
    const cause = this.empty === undefined || names.length > 1 ? '' : `, because ${this.empty}`;
    return `The SQL of ${shown} was not checked against a schema${cause}: ${adviceFor(first, names.length === 1)}`;
  }
}

/** Advice for a database; only PostgreSQL can be embedded. */
function adviceFor({ name: { value: name }, dialect, url }: Datasource, isOnly: boolean): string {
  const server = (scheme: string): string =>
    `name a server that has it, with --database ${isOnly ? '' : `${name}=`}${scheme}://user:password@host/${name}`;
  if (dialect === 'mysql') return server(/^jdbc:mysql:/i.test(url?.value ?? '') ? 'mysql' : 'mariadb');
  return `write its tables to ${isOnly ? 'schema.sql' : `schema.${name}.sql`} next to the configuration, or ${server('postgresql')}`;
}
