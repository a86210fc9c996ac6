/** Checks whether the service is ready for requests: all databases respond, all operations are loaded, and the service is not stopping. */

/** The body of `/health/ready`. */
export interface Readiness {
  readonly status: 'ready' | 'not ready' | 'stopping';
  /** Databases by name. */
  readonly datasources: Readonly<Record<string, 'reachable' | 'unreachable'>>;
  /** Replicas by datasource name. If a replica is unreachable, the primary is used. */
  readonly replicas?: Readonly<Record<string, ReplicaUse>>;
}

type ReplicaUse = 'used' | 'not used';

/** A datasource that can be checked. */
export interface Reachable {
  readonly name: string;
  /**
   * Whether the datasource responds. Never fails. Third-party APIs are not checked: if an API is unavailable, only the calls that need
   * it fail.
   */
  isReachable?(): Promise<boolean>;
  /** The state of the replica; undefined without a replica. */
  replica?(): { readonly isUsed: boolean } | undefined;
}

const stopping: Readiness = { status: 'stopping', datasources: {} };

/** Milliseconds for which a result is reused, to limit the load of probes. */
const holds = 1000;
/**
 * Milliseconds after which an unresponsive database counts as unreachable. A worker must report this within the time limit of the
 * primary process.
 */
const timeLimit = 2500;

export class ReadinessCheck {
  private last: { readonly until: number; readonly state: Promise<Readiness> } | undefined;

  constructor(
    private readonly datasources: readonly Reachable[],
    private readonly service: { readonly closing: boolean; readonly loaded: Promise<unknown> },
  ) {}

  async ask(): Promise<Readiness> {
    if (this.isStopping()) return stopping;
    if (this.last === undefined || performance.now() > this.last.until) {
      const state = this.check();
      // There is only one check at a time, and its result is reused for a while.
      this.last = { until: Infinity, state };
      const hold = (): void => {
        this.last = { until: performance.now() + holds, state };
      };
      void state.then(hold);
    }
    const state = await this.last.state;
    return this.isStopping() ? stopping : state;
  }

  /** Whether the service is stopping, which may have begun during the check. */
  private isStopping(): boolean {
    return this.service.closing;
  }

  private async check(): Promise<Readiness> {
    const loaded = within(
      this.service.loaded.then(
        () => true,
        () => false,
      ),
    );
    const states = await Promise.all(
      this.datasources.flatMap((datasource) => {
        if (datasource.isReachable === undefined) return [];
        const stateOf = (is: boolean) => (is ? 'reachable' : 'unreachable');
        return [within(datasource.isReachable()).then((is) => [datasource.name, stateOf(is)] as const)];
      }),
    );
    const isReady = states.every(([, state]) => state === 'reachable') && (await loaded);
    return {
      status: isReady ? 'ready' : 'not ready',
      datasources: Object.fromEntries(states),
      ...replicasOf(
        this.datasources.flatMap((datasource) => {
          const replica = datasource.replica?.();
          return replica === undefined ? [] : [[datasource.name, replica.isUsed ? 'used' : 'not used']];
        }),
      ),
    };
  }
}

/** Combines replicas of several processes. A replica counts as used only if all processes use it. */
export function replicasOf(uses: readonly (readonly [string, ReplicaUse])[]): Pick<Readiness, 'replicas'> {
  if (uses.length === 0) return {};
  const unused = uses.filter(([, use]) => use === 'not used');
  return { replicas: Object.fromEntries([...uses, ...unused]) };
}

function within(asked: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, timeLimit, false);
  });
  return Promise.race([asked, late]).finally(() => {
    clearTimeout(timer);
  });
}
