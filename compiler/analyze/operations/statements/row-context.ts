/** The context of datasources: which statements need one, and which of its values require a caller (docs/design/sql.md#sql-9). */
import type { Datasource } from '../../../read/config/config-model.js';
import type { Expression } from '../../../read/expression/ast.js';
import { wordSet } from '../../../read/wordset.js';

export function hasContext(datasource: Datasource): boolean {
  return datasource.type === 'db' && (datasource.context.length > 0 || datasource.role !== undefined);
}

/** Whether the value is null if nobody is logged in. */
export function isNullWithoutCaller(value: Expression | undefined): boolean {
  if (value?.kind === 'coalesce') return value.parts.every(isNullWithoutCaller);
  return value?.kind === 'caller';
}

const implicitVerbs = wordSet('SELECT VALUES INSERT UPDATE DELETE MERGE');

/**
 * Whether the statement is sent between BEGIN and COMMIT. This is unnecessary only for the implicit verbs: every other statement could
 * commit the transaction and so drop the context (docs/design/sql.md#sql-9.3).
 */
export function isEnclosed(verb: string, datasource: Datasource): boolean {
  return hasContext(datasource) && !implicitVerbs.has(verb);
}
