/** Limits on the number of requests, as emitters write them. */
import type { Config, RequestLimit } from '../../read/config/config-model.js';
import type { Expression } from '../../read/expression/ast.js';
import type { DatasourceIdentifier } from './names/identifiers.js';

export interface LimitPlan {
  /** The values of the key; `address` for the address of the client alone. */
  readonly by: 'address' | readonly Expression[];
  readonly times: number;
  /** Seconds. */
  readonly within: number;
  readonly countsAll: boolean;
  /** Whether the key identifies the caller, who may know the limit. */
  readonly isOfCaller: boolean;
  /** The database that counts for all processes. */
  readonly store: DatasourceIdentifier | undefined;
}

/** The limits of operations. Those of authentications belong to their plans. */
export interface ServiceLimitsPlan {
  /** Of the requests of all operations together. */
  readonly all: readonly LimitPlan[];
  /** By the name of the operation; only operations with limits. */
  readonly operations: ReadonlyMap<string, readonly LimitPlan[]>;
}

/** The identifier of a datasource that counts. */
export type LimitStores = (datasource: string) => DatasourceIdentifier;

export function planServiceLimits(
  { operations, settings }: Pick<Config, 'operations' | 'settings'>,
  stores: LimitStores,
): ServiceLimitsPlan {
  return {
    all: planLimits(settings.limits, stores),
    operations: new Map(
      operations
        .filter(({ limits }) => limits.length > 0)
        .map(({ name, limits }) => [name.value, planLimits(limits, stores)]),
    ),
  };
}

export function planLimits(limits: readonly RequestLimit[], stores: LimitStores): readonly LimitPlan[] {
  return limits.map(({ by, times, within, countsAll, store }) => ({
    by: by.every(({ kind }) => kind === 'address') ? 'address' : by,
    ...{ times, within, countsAll },
    isOfCaller: identifiesCaller(by),
    store: store && stores(store.value),
  }));
}

/** Whether all values belong to the caller, and distinguish callers. */
export function identifiesCaller(by: readonly Expression[]): boolean {
  const claims = by.map((value) => {
    const [step, ...others] = value.kind === 'caller' ? value.path : [];
    return others.length === 0 && step?.kind === 'name' ? step.name : undefined;
  });
  return claims.includes('sub') && by.every(({ kind }) => kind === 'caller');
}
