/** All operations of a service, one line each. */
import { screen, type Shown } from '../../notation/screen-writer.js';
import { costOf } from './call-costs.js';
import type { Cost } from './explained.js';
import type { ServiceView } from './service-view.js';
import { counted } from '../../read/diagnostics/quoted-list.js';

export interface ListedOperation {
  readonly operation: string;
  readonly steps: number;
  readonly cost: Cost;
  readonly startedBy: readonly ('request' | 'timer' | 'call')[];
}

export function listOperations(view: ServiceView): ListedOperation[] {
  return view.operations.map((operation) => {
    const { name, endpoint, triggers } = operation.plan;
    return {
      operation: name,
      steps: operation.checked.analyzed.fulfillments.length,
      cost: costOf(operation, view),
      startedBy: [
        ...(endpoint === undefined ? [] : ['request' as const]),
        ...(triggers.length === 0 ? [] : ['timer' as const]),
        ...(view.analysis.called.has(name) ? ['call' as const] : []),
      ],
    };
  });
}

/** Prints lines such as `GET /news  1 step, newsdb: 1 round trip`. */
export function printOperations(operations: readonly ListedOperation[]): Shown {
  const width = Math.min(60, Math.max(0, ...operations.map(({ operation }) => operation.length)));
  return screen.list(
    operations.map(({ operation, steps, cost, startedBy }) => {
      const parts = [
        counted(steps, 'step'),
        ...cost.databases.map(
          ({ datasource, roundTrips }) => `${datasource}: ${counted(roundTrips, 'round trip')}`,
        ),
        ...cost.thirdParties.map(({ datasource, calls }) => `${datasource}: ${counted(calls, 'request')}`),
        ...(startedBy.includes('timer') ? ['timed'] : []),
      ];
      return `${operation.padEnd(width)}  ${parts.join(', ')}`;
    }),
  );
}
