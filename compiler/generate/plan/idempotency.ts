/** The idempotency keys of operations, as emitters write them. */
import type { Config, Operation } from '../../read/config/config-model.js';
import type { Expression } from '../../read/expression/ast.js';
import {
  areCallersEqual,
  comparedNames,
  databasesOf,
  type ComparedNames,
} from '../../analyze/operations/idempotency.js';
import { timeText } from '../../analyze/operations/limits.js';
import type { AnalyzedOperation } from '../../analyze/operations/analyzed-operation.js';
import type { DatasourceIdentifier } from './names/identifiers.js';

export interface IdempotencyPlan extends ComparedNames {
  readonly key: Expression;
  readonly isRequired: boolean;
  /** Seconds. */
  readonly keep: number;
  /** In words: `1d`. */
  readonly keepText: string;
  /** Whether all callers share their keys. */
  readonly isShared: boolean;
  /** The database that stores the responses. */
  readonly store: DatasourceIdentifier;
}

/** The parts of the analysis that the plan reads. */
interface Source {
  readonly config: Config;
  readonly operations: readonly AnalyzedOperation[];
  withCalled(operation: Operation): ReadonlySet<Operation>;
}

/** By the name of the operation; only operations with a key. */
export function planIdempotency(
  source: Source,
  identifierOf: (datasource: string) => DatasourceIdentifier,
): ReadonlyMap<string, IdempotencyPlan> {
  const { config } = source;
  return new Map(
    source.operations.flatMap(({ operation, endpoint }): [string, IdempotencyPlan][] => {
      const { name, idempotency } = operation;
      const called = source.withCalled(operation);
      const [database] = idempotency === undefined ? [] : databasesOf(called, config);
      if (idempotency?.key === undefined || database === undefined) return [];
      const { key, isRequired, keep } = idempotency;
      const isShared = areCallersEqual(operation, config);
      const compared = comparedNames(operation, called, endpoint);
      const store = identifierOf(database.name.value);
      return [
        [name.value, { key, isRequired, keep, keepText: timeText(keep), isShared, store, ...compared }],
      ];
    }),
  );
}
