/** Statements that a service can send. For others, only the fact that they cannot be sent is reported. */
import type { Item, SqlTree } from '../../../read/sql/parse/tree.js';
import { sqlCopy } from '../rules/sql/copy.js';
import { sqlSession } from '../rules/sql/session-changes.js';
import { factOf } from './fact-of.js';
import { verbOf } from './verb-of.js';

export interface SentStatement {
  readonly tree: SqlTree;
  readonly verb: Item;
}

/**
 * The statement that a service would send; undefined for SQL without a verb, and for statements that change the connection or copy data.
 */
export const sentStatement = factOf((sql): SentStatement | undefined => {
  const { tree } = sql;
  const verb = verbOf(sql);
  if (tree === undefined || verb === undefined) return undefined;
  return sqlSession.refuses(sql) || sqlCopy.refuses(sql) ? undefined : { tree, verb };
});
