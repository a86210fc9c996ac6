/** The main verb of a statement, after WITH and parentheses, and whether the statement returns rows. */
import type { Dialect } from '../dialect.js';
import type { OutlineToken } from '../parse/outline.js';
import { wordSet } from '../lexer/word-set.js';

const behindWith = wordSet('SELECT INSERT UPDATE DELETE MERGE REPLACE VALUES TABLE');

/** The item with the main verb; undefined if there is none. */
export function findVerb(items: readonly OutlineToken[]): OutlineToken | undefined {
  let start = 0;
  for (;;) {
    while (items[start]?.word === '(') start += 1;
    const first = items[start];
    // MariaDB's `SET STATEMENT … FOR SELECT`.
    const inner =
      first?.word === 'SET' && items[start + 1]?.word === 'STATEMENT' ? indexOfFor(items, start) : -1;
    if (inner !== -1) {
      start = inner + 1;
      continue;
    }
    if (first?.word !== 'WITH') return first?.token.kind === 'word' ? first : undefined;
    const behind = indexBehindWith(items, start, first.parent);
    // `WITH … (SELECT …)`: the statement is in parentheses, and may have a WITH of its own.
    if (items[behind]?.word !== '(') return items[behind];
    start = behind;
  }
}

function indexOfFor(items: readonly OutlineToken[], start: number): number {
  return items.findIndex(
    ({ word, parent }, index) => index > start && word === 'FOR' && parent === items[start]?.parent,
  );
}

/** The index of the verb, or of the parenthesis around the statement, that follows the WITH queries. */
function indexBehindWith(items: readonly OutlineToken[], start: number, parent: number): number {
  for (let index = start + 1; index < items.length; index += 1) {
    const item = items[index];
    const before = items[index - 1]?.word ?? '';
    if (item?.parent !== parent) continue;
    // After WITH, RECURSIVE or a comma there is the name of a query.
    const isName = before === 'WITH' || before === 'RECURSIVE' || before === ',';
    if (behindWith.has(item.word) && !isName) return index;
    if (item.word === '(' && before === ')') return index;
  }
  return items.length;
}

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

/** The verbs that a statement of the dialect can begin with. */
export function knownVerbs(dialect: Dialect): ReadonlySet<string> {
  return new Set([...dataVerbs, ...readingVerbs[dialect], ...otherVerbs[dialect]]);
}

/** True where the statement stores, changes or removes rows and can have RETURNING. */
export function changesRows(verb: string): boolean {
  return dataVerbs.has(verb);
}

/** True when the statement has RETURNING of its own, not one inside parentheses. */
export function hasReturning(items: readonly OutlineToken[], verb: OutlineToken): boolean {
  return hasKeyword(items, verb, 'RETURNING');
}

/** True if the statement can return rows (decisions 5.6). */
export function givesRows(items: readonly OutlineToken[], verb: OutlineToken, dialect: Dialect): boolean {
  if (changesRows(verb.word)) return hasReturning(items, verb);
  return readingVerbs[dialect].has(verb.word) && !(verb.word === 'SELECT' && hasKeyword(items, verb, 'INTO'));
}

/** True if the keyword is in the statement, and not inside parentheses of it. */
export function hasKeyword(items: readonly OutlineToken[], verb: OutlineToken, word: string): boolean {
  return items.some(
    (item, index) => item.word === word && item.parent === verb.parent && !isName(items[index - 1]),
  );
}

/** After a dot or AS a keyword is a name. */
function isName(before: OutlineToken | undefined): boolean {
  return before?.word === '.' || before?.word === 'AS';
}
