/** MySQL and MariaDB databases whose statements were not checked by a server: one line about them, and how to check them. */
import type { Databases } from '../analyze/statement-descriptions.js';
import type { Datasource } from '../config/config-model.js';
import type { FindDatabase } from '../database/schema-databases.js';

/** PostgreSQL needs no server: schema.sql beside the configuration is enough, which `check` finds by itself. */
export class UncheckedDatabases {
  #databases: readonly Datasource[] = [];

  constructor(private readonly find: FindDatabase) {}

  /** The same databases; notes which datasources there are. */
  noting(databases: Databases): Databases {
    return {
      ask: (datasources, questions) => {
        this.#databases = datasources.filter(({ type }) => type === 'db');
        return databases.ask(datasources, questions);
      },
    };
  }

  /** Undefined if there is no such database. */
  get note(): string | undefined {
    const names = this.#databases.map(({ name }) => name.value);
    const unchecked = this.#databases.filter(
      ({ name, dialect }) => dialect === 'mysql' && this.find(name.value, names)?.kind !== 'server',
    );
    const [first] = unchecked;
    if (first === undefined) return undefined;
    const { value: name } = first.name;
    const scheme = /^jdbc:mysql:/i.test(first.url?.value ?? '') ? 'mysql' : 'mariadb';
    const database = `${names.length === 1 ? '' : `${name}=`}${scheme}://user:password@host/${name}`;
    const shown = unchecked.map((one) => `'${one.name.value}'`).join(', ');
    return `The SQL of ${shown} was not checked against a schema: name a server that has it, with --database ${database}`;
  }
}
