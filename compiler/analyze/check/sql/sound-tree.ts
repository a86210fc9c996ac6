/** Syntax trees of statements that are valid enough for further checks. */
import type { SqlTree } from '../../../read/sql/parse/tree.js';
import { sqlInsertCount } from '../rules/sql/inserts.js';
import { sqlColumnProto } from '../rules/sql/columns.js';
import { sqlTakesNoParameters } from '../rules/sql/refused-parameters.js';
import { factOf } from './fact-of.js';
import { bareNames } from './bare-names.js';
import { sentStatement } from './sent-statement.js';
import { meantVerb } from './verb-of.js';

const refusing = [sqlTakesNoParameters, sqlColumnProto, sqlInsertCount];

/** The syntax tree; undefined if the statement as a whole has an error. */
export const soundTree = factOf((sql): SqlTree | undefined => {
  const sent = sentStatement(sql);
  const isWrong =
    sent === undefined ||
    meantVerb(sent.verb, sql.dialect) !== undefined ||
    bareNames(sql).length > 0 ||
    refusing.some((rule) => rule.refuses(sql));
  return isWrong ? undefined : sent.tree;
});
