/** The verb of a statement, and facts that depend only on the verb. */
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { Dialect } from '../../../read/sql/dialect.js';
import { knownVerbs } from '../../../read/sql/facts/verb.js';
import type { Item } from '../../../read/sql/parse/tree.js';
import type { SqlText } from '../../../read/sql/sql-text.js';
import { wordSet } from '../../../read/wordset.js';

/** The item with the verb; undefined if the statement does not begin with one. */
export function verbOf({ tree }: SqlText): Item | undefined {
  return tree === undefined || tree.main.verb === '' ? undefined : tree.items[tree.main.verbItem];
}

/** The verb probably meant by an unknown one. */
export function meantVerb(verb: Item, dialect: Dialect): string | undefined {
  const known = knownVerbs[dialect];
  return known.has(verb.word) ? undefined : nearest(verb.token.text, known);
}

/** PostgreSQL statements that do not accept parameters. */
const constantStatements = wordSet(`
  ALTER ANALYZE CLUSTER COMMENT COPY DISCARD DO DROP EXECUTE GRANT LISTEN LOCK NOTIFY PREPARE REFRESH REINDEX
  RESET REVOKE SET SHOW TRUNCATE UNLISTEN VACUUM
`);

/** Whether all placeholders in the statement are the same error, regardless of position. */
export function takesNoParameters(dialect: Dialect, verb: Item | undefined): boolean {
  return dialect === 'postgresql' && verb !== undefined && constantStatements.has(verb.word);
}
