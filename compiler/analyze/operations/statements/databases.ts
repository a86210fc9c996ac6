/** The databases of a configuration: datasources with the same URL are one, used with several roles or contexts. */
import type { Datasource } from '../../../read/config/config-model.js';

/** The datasources of each database, in their order. One without a URL is a database of its own. */
export function databasesIn(datasources: readonly Datasource[]): readonly (readonly Datasource[])[] {
  const found = new Map<string | Datasource, Datasource[]>();
  for (const datasource of datasources.filter(({ type }) => type === 'db')) {
    const key = datasource.url?.value ?? datasource;
    found.set(key, [...(found.get(key) ?? []), datasource]);
  }
  return [...found.values()];
}

/** The names of the datasources of each database. */
export function databaseNames(datasources: readonly Datasource[]): readonly (readonly string[])[] {
  return databasesIn(datasources).map((group) => group.map(({ name }) => name.value));
}
