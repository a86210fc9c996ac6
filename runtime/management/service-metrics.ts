/** The metrics of a service: operations, datasources and timers. */
import type {
  CallOutcome,
  ConnectionCounts,
  Observer,
  ReplicaState,
  TickOutcome,
} from '../server/contracts.js';
import type { Refusal } from '../authentication/refusal.js';
import type { Ended } from '../http/response-end.js';
import { Counter, gauge, Histogram, type Family, type Labels } from './metrics.js';
import { ProcessMetrics } from './process-metrics.js';

/** A datasource with counted connections. */
export interface Counted {
  readonly name: string;
  /** The current connections; undefined for a datasource without a pool, such as a third-party API. */
  connections?(): ConnectionCounts;
  /** The state of the replica; undefined without a replica. */
  replica?(): ReplicaState | undefined;
}

const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const slow = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];

/** The label for requests without an operation. Does not conflict with names of operations with an endpoint, which begin with a method. */
const noOperation = 'none';

/** Collects the metrics of a process. */
export class ServiceMetrics implements Observer {
  private inFlight = 0;
  private readonly requests = new Counter(
    'http_requests_total',
    'Requests by operation, status, and how their response ended: whole, cut off, or left by its client.',
  );
  private readonly requestTimes = new Histogram(
    'http_request_duration_seconds',
    'How long requests took, by operation.',
    quick,
  );
  private readonly refusals = new Counter(
    'credentials_refused_total',
    'Requests whose credentials were refused, by operation and reason.',
  );
  private readonly limited = new Counter(
    'requests_limited_total',
    'Requests over a limit, by operation and limit.',
  );
  private readonly calls = new Counter(
    'third_party_calls_total',
    'Calls of third-party APIs by datasource and outcome: the class of the status, timeout, failed or aborted.',
  );
  private readonly callTimes = new Histogram(
    'third_party_call_duration_seconds',
    'How long calls of third-party APIs took, by datasource.',
    quick,
  );
  private readonly statementTimes = new Histogram(
    'datasource_statement_duration_seconds',
    'How long statements took, with their wait for a connection, by datasource.',
    quick,
  );
  private readonly ticks = new Counter(
    'timed_operation_runs_total',
    'Ticks of timed operations by trigger and outcome: succeeded, failed, skipped or missed.',
  );
  private readonly tickTimes = new Histogram(
    'timed_operation_duration_seconds',
    'How long timed operations ran, by trigger.',
    slow,
  );
  readonly collectors: { collect(): Family[] }[] = [new ProcessMetrics()];

  constructor(private readonly datasources: readonly Counted[]) {}

  requestBegun(): void {
    this.inFlight += 1;
  }

  requestEnded(
    operation = noOperation,
    status: number,
    ended: Ended,
    seconds: number,
    refusal?: Refusal,
  ): void {
    this.inFlight -= 1;
    this.requests.add({ operation, status: String(status), ended });
    this.requestTimes.observe({ operation }, seconds);
    if (refusal !== undefined) this.refusals.add({ operation, reason: refusal });
  }

  requestLimited(operation: string, limit: string): void {
    this.limited.add({ operation, limit });
  }

  requestRefused(status: number): void {
    this.requests.add({ operation: noOperation, status: String(status), ended: 'whole' });
  }

  thirdPartyCalled(datasource: string, outcome: CallOutcome, seconds: number): void {
    this.calls.add({ datasource, outcome });
    this.callTimes.observe({ datasource }, seconds);
  }

  statementRan(datasource: string, seconds: number): void {
    this.statementTimes.observe({ datasource }, seconds);
  }

  ticked(operation: string, trigger: string, outcome: TickOutcome, seconds?: number): void {
    this.ticks.add({ operation, trigger, outcome });
    if (seconds !== undefined) this.tickTimes.observe({ operation, trigger }, seconds);
  }

  collect(): Family[] {
    const replicas = this.datasources.flatMap((datasource) => {
      const replica = datasource.replica?.();
      return replica === undefined ? [] : [{ datasource: datasource.name, ...replica }];
    });
    const pools: { readonly labels: Labels; readonly counts: ConnectionCounts }[] = [
      ...this.datasources.flatMap((datasource) => {
        const counts = datasource.connections?.();
        return counts === undefined ? [] : [{ labels: { datasource: datasource.name }, counts }];
      }),
      ...replicas.map(({ datasource, connections }) => ({
        labels: { datasource, server: 'replica' },
        counts: connections,
      })),
    ];
    return [
      this.requests.collect(),
      this.requestTimes.collect(),
      this.refusals.collect(),
      this.limited.collect(),
      gauge('http_requests_in_flight', 'Requests in flight.', [[{}, this.inFlight]]),
      gauge(
        'datasource_connections',
        'Connections to databases that are in use or free.',
        pools.flatMap(({ labels, counts }) => [
          [{ ...labels, state: 'used' }, counts.used],
          [{ ...labels, state: 'free' }, counts.free],
        ]),
      ),
      gauge(
        'datasource_waiting_statements',
        'Statements that wait for a connection.',
        pools.map(({ labels, counts }) => [labels, counts.waiting]),
      ),
      ...replicaFamilies(replicas),
      this.statementTimes.collect(),
      this.calls.collect(),
      this.callTimes.collect(),
      this.ticks.collect(),
      this.tickTimes.collect(),
      ...this.collectors.flatMap((collector) => collector.collect()),
    ];
  }
}

/** Metrics of replicas; empty if no datasource has a replica. */
function replicaFamilies(replicas: readonly (ReplicaState & { readonly datasource: string })[]): Family[] {
  if (replicas.length === 0) return [];
  return [
    gauge(
      'datasource_replica_used',
      'Processes that use the replica of a datasource.',
      replicas.map(({ datasource, isUsed }) => [{ datasource }, isUsed ? 1 : 0]),
    ),
    {
      ...gauge(
        'datasource_replica_moved_reads_total',
        'READs that failed on the replica, and ran on the primary.',
        replicas.map(({ datasource, moved }) => [{ datasource }, moved]),
      ),
      type: 'counter',
    },
  ];
}
