/** All requests of a configuration, each with its datasource. */
import type { Config, Datasource, Operation, Request } from '../config/config-model.js';
import { allFulfillments } from '../config/walk.js';

export interface RequestUse {
  readonly operation: Operation;
  readonly request: Request;
  readonly datasource: Datasource;
}

/** Those whose datasource is there. */
export function requestsOf({ operations, datasources }: Config): RequestUse[] {
  const byName = new Map(datasources.map((datasource) => [datasource.name.value, datasource]));
  return operations.flatMap((operation) =>
    allFulfillments(operation.fulfillments).flatMap(({ fulfillment }) => {
      if (fulfillment.type !== 'READ' && fulfillment.type !== 'UPDATE') return [];
      const datasource = byName.get(fulfillment.datasource.value);
      return fulfillment.instructions.flatMap(({ action }) =>
        datasource !== undefined && action !== undefined && 'kind' in action
          ? [{ operation, request: action, datasource }]
          : [],
      );
    }),
  );
}
