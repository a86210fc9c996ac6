/** The strings that CHECKs of tables allow in the columns of results. */
import type { DescribedColumn } from '../../../read/sql/statement-description.js';
import type { KnownTable } from './statement-descriptions.js';

/** The tables that have such columns, by their names without a schema; undefined where several have the name. */
type RestrictedTables = ReadonlyMap<string, KnownTable['values']>;

export class AllowedValues {
  readonly #tables: RestrictedTables;

  constructor(tables: readonly KnownTable[]) {
    const found = new Map<string, KnownTable['values']>();
    const seen = new Set<string>();
    for (const { name, schema, values } of tables) {
      const own = schema === undefined ? name : name.slice(schema.length + 1);
      if (seen.has(own)) found.delete(own);
      else if (values !== undefined) found.set(own, values);
      seen.add(own);
    }
    this.#tables = found;
  }

  /** Undefined if any string is allowed, or if the strings are unknown. */
  of({ name, origin }: DescribedColumn): readonly string[] | undefined {
    const values = this.#tables.get(origin?.table ?? '');
    const column = origin?.column ?? name;
    return values !== undefined && Object.hasOwn(values, column) ? values[column] : undefined;
  }
}
