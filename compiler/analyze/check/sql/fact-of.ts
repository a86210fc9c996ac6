/** Facts about SQL that several rules need. */
import type { SqlText } from '../../../read/sql/sql-text.js';

/** Computes the fact once per SQL string. */
export function factOf<Fact>(find: (sql: SqlText) => Fact): (sql: SqlText) => Fact {
  const known = new WeakMap<SqlText, { readonly fact: Fact }>();
  return (sql) => {
    const found = known.get(sql);
    if (found !== undefined) return found.fact;
    const fact = find(sql);
    known.set(sql, { fact });
    return fact;
  };
}
