/** Whether a statement runs unknown code: a function or procedure of the database that may leave state in its session. */
import type { Dialect } from '../dialect.js';
import { wordSet } from '../../wordset.js';
import type { SqlTree } from '../parse/tree.js';
import { callMayChange } from './retry.js';

const runningVerbs = wordSet('CALL DO EXECUTE');

/** Functions that change something or return a different value each time, but whose session state (if any) is covered by other checks. */
const knownFunctions = wordSet(`
  CURRENT_SETTING SET_CONFIG CURRVAL LASTVAL NEXTVAL SETVAL PG_NOTIFY PG_SLEEP PG_BACKEND_PID CLOCK_TIMESTAMP
  STATEMENT_TIMESTAMP TRANSACTION_TIMESTAMP PG_CURRENT_XACT_ID TXID_CURRENT SETSEED
  PG_ADVISORY_LOCK PG_ADVISORY_LOCK_SHARED PG_TRY_ADVISORY_LOCK PG_TRY_ADVISORY_LOCK_SHARED
  PG_ADVISORY_XACT_LOCK PG_ADVISORY_XACT_LOCK_SHARED PG_TRY_ADVISORY_XACT_LOCK PG_TRY_ADVISORY_XACT_LOCK_SHARED
  PG_ADVISORY_UNLOCK PG_ADVISORY_UNLOCK_SHARED PG_ADVISORY_UNLOCK_ALL
  LAST_INSERT_ID ROW_COUNT FOUND_ROWS CONNECTION_ID GET_LOCK RELEASE_LOCK RELEASE_ALL_LOCKS IS_FREE_LOCK IS_USED_LOCK
  SLEEP RAND BENCHMARK
`);

export function runsUnknownCode({ main, items, nodes }: SqlTree, dialect: Dialect): boolean {
  return (
    runningVerbs.has(main.verb) ||
    nodes.some(
      (node) =>
        node.kind === 'call' &&
        callMayChange(node, items, dialect) &&
        !knownFunctions.has(items[node.name.last]?.word ?? ''),
    )
  );
}
