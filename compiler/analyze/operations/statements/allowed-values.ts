/** The strings allowed by CHECK constraints for result columns. */
import type { DescribedColumn } from '../../../read/sql/statement-description.js';
import type { KnownTable } from './statement-descriptions.js';

/** Tables with such columns, by unqualified name; undefined if several tables have the name. */
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

  /** The allowed strings of a column; undefined if any string is allowed, or if the allowed strings are unknown. */
  of({ name, origin }: DescribedColumn): readonly string[] | undefined {
    const values = this.#tables.get(origin?.table ?? '');
    const column = origin?.column ?? name;
    return values !== undefined && Object.hasOwn(values, column) ? values[column] : undefined;
  }
}
