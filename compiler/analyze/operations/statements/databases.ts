/** The databases of a configuration. Datasources with the same URL use the same database, with different roles or contexts. */
import type { Datasource } from '../../../read/config/config-model.js';

/** The datasources of each database, in order. A datasource without a URL is a separate database. */
export function databasesIn(datasources: readonly Datasource[]): readonly (readonly Datasource[])[] {
  const found = new Map<string | Datasource, Datasource[]>();
  for (const datasource of datasources.filter(({ type }) => type === 'db')) {
    const key = datasource.url?.value ?? datasource;
    found.set(key, [...(found.get(key) ?? []), datasource]);
  }
  return [...found.values()];
}

/** The datasource names for each database. */
export function databaseNames(datasources: readonly Datasource[]): readonly (readonly string[])[] {
  return databasesIn(datasources).map((group) => group.map(({ name }) => name.value));
}
