/** The verbs of statements, and whether a statement can return rows. */
import type { Dialect } from '../dialect.js';
import { wordSet } from '../../wordset.js';
import { clauseOf, type SqlTree } from '../parse/tree.js';

const dataVerbs = wordSet('INSERT UPDATE DELETE MERGE REPLACE');

const readingVerbs: Record<Dialect, ReadonlySet<string>> = {
  postgresql: wordSet('SELECT VALUES TABLE EXPLAIN SHOW FETCH CALL EXECUTE'),
  mysql: wordSet(`
    SELECT VALUES TABLE EXPLAIN DESCRIBE DESC SHOW CALL ANALYZE CHECK CHECKSUM OPTIMIZE REPAIR EXECUTE HELP
  `),
};

const otherVerbs: Record<Dialect, ReadonlySet<string>> = {
  postgresql: wordSet(`
    ABORT ALTER ANALYZE BEGIN CHECKPOINT CLOSE CLUSTER COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE DISCARD DO DROP END
    GRANT IMPORT LISTEN LOAD LOCK MERGE MOVE NOTIFY PREPARE REASSIGN REFRESH REINDEX RELEASE RESET REVOKE ROLLBACK SAVEPOINT
    SECURITY SET START TRUNCATE UNLISTEN VACUUM
  `),
  mysql: wordSet(`
    ALTER BACKUP BEGIN BINLOG CACHE CHANGE CLONE COMMIT CREATE DEALLOCATE DO DROP FLUSH GET GRANT HANDLER IF IMPORT INSTALL
    KILL LOAD LOCK PREPARE PURGE RELEASE RENAME RESET RESIGNAL RESTART REVOKE ROLLBACK SAVEPOINT SET SHUTDOWN SIGNAL START
    STOP TRUNCATE UNINSTALL UNLOCK USE XA
  `),
};

/** The verbs with which a statement of the dialect can begin. */
export const knownVerbs: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  postgresql: new Set([...dataVerbs, ...readingVerbs.postgresql, ...otherVerbs.postgresql]),
  mysql: new Set([...dataVerbs, ...readingVerbs.mysql, ...otherVerbs.mysql]),
};

/** True for verbs that insert, update or delete rows and can have RETURNING. */
export function changesRows(verb: string): boolean {
  return dataVerbs.has(verb);
}

/** True if the statement itself has RETURNING; a RETURNING inside parentheses does not count. */
export function hasReturning({ main }: SqlTree): boolean {
  return clauseOf(main, 'RETURNING') !== undefined;
}

/** True if the statement can return rows. */
export function givesRows(tree: SqlTree, dialect: Dialect): boolean {
  const { main, root } = tree;
  if (changesRows(main.verb)) return hasReturning(tree);
  const isStored = (clauseOf(main, 'INTO') ?? clauseOf(root, 'INTO')) !== undefined;
  return readingVerbs[dialect].has(main.verb) && !(main.verb === 'SELECT' && isStored);
}
