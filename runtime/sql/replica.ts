/**
 * The replica of a datasource (`DATASOURCE_<NAME>_REPLICA_URL`): decides which READs run there, and when they run on the primary instead.
 */
import { staysCurrent, type Call } from '../handler/call.js';
import type { ReplicaState } from '../server/contracts.js';
import type { Failure, FailureKind } from './failure.js';
import type { OpenDatasource, ReadReplica } from './run-alone.js';

/** Milliseconds before an unusable replica is probed again, and the time limit of the probe. */
const rest = 10_000;
const probeTime = 2_000;

/** Failures that would also occur on the primary: an invalid value, a problem of the caller, a rejection by a rule, or a timeout. */
const final: ReadonlySet<FailureKind> = new Set(['bad-value', 'raised', 'forbidden', 'integrity', 'timeout']);

export class Replica implements ReadReplica {
  /** The end of the pause in which the replica is not used; undefined while it is in use. */
  private restsUntil: number | undefined;
  private isAsked = false;
  /** Number of READs that failed on the replica and ran on the primary instead. */
  private moved = 0;

  /** `warn` is called when READs move to the primary for a while, and when they return. */
  constructor(
    readonly opened: OpenDatasource,
    private readonly warn: (warning: string) => void,
  ) {}

  get state(): ReplicaState {
    return {
      connections: this.opened.connections.counts,
      isUsed: this.restsUntil === undefined,
      moved: this.moved,
    };
  }

  for(call: Call): OpenDatasource | undefined {
    if ((call.root ?? call).mayLag !== true) return undefined;
    if (this.isUsed()) return this.opened;
    staysCurrent(call);
    return undefined;
  }

  leaves(call: Call, { kind, aftermath, code, reason }: Failure): boolean {
    if (kind === 'unavailable' && (aftermath === undefined || aftermath === 'full'))
      this.pause(reason ?? String(code ?? kind));
    // A result that is too large would fail on either server.
    if (final.has(kind) || aftermath === 'unreported') return false;
    staysCurrent(call);
    this.moved += 1;
    return true;
  }

  private pause(reason: string): void {
    if (this.restsUntil === undefined) this.warn(`READs run on the primary for now: ${reason}.`);
    this.restsUntil = performance.now() + rest;
  }

  /** Whether the replica is in use. A failed replica is probed in the background, so that READs do not wait for it. */
  private isUsed(): boolean {
    if (this.restsUntil === undefined) return true;
    if (performance.now() > this.restsUntil && !this.isAsked) void this.ask();
    return false;
  }

  /** Probes the replica. Never fails. */
  private async ask(): Promise<void> {
    this.isAsked = true;
    const isThere = await this.opened.connections.probe(performance.now() + probeTime);
    this.isAsked = false;
    if (isThere) {
      this.restsUntil = undefined;
      this.warn('READs run there again.');
    } else this.restsUntil = performance.now() + rest;
  }
}
