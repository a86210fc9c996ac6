/** The limits of an operation, of an authentication, or of the whole service. */
import { hash, randomBytes } from 'node:crypto';
import type { Call } from '../handler/call.js';
import { addressOf } from '../http/client-address.js';
import type { RequestLimits } from '../http/route.js';
import { Counters, type Counted, type Exceeded } from './counters.js';
import { ClientNetwork, keyOf, type Counted as CountedValue } from './limit-key.js';
import { LimitReached } from './limit-reached.js';
import type { CountRequest } from './request-count.js';

/** Counts for all processes, in a database. */
export interface SharedCounts {
  /**
   * Counts a request of the key, unless `times` requests have been counted in the last milliseconds. `isReturned`: whether counts are
   * usually given back. Throws a ServiceError 503.
   */
  take(key: string, times: number, milliseconds: number, isReturned: boolean): Promise<Counted | Exceeded>;
}

/** A limit: how many requests are accepted in a time. */
export interface LimitDefinition<Source> {
  /** The values that together are the key, or `address` for the address of the client alone. */
  readonly by: 'address' | ((source: Source) => readonly CountedValue[]);
  /** Maximum number of requests with the same key. */
  readonly times: number;
  /** Seconds. */
  readonly within: number;
  /** Counts only requests with a status from 400 to 499, or refused credentials; without it, all requests. */
  readonly count?: 'refused';
  /** Whether the values identify the caller, who may then know the limit. */
  readonly isOfCaller?: true;
  /** Counts for all processes; without it, each process counts for itself. */
  readonly store?: SharedCounts;
}

/** Creates the limits of an operation, or of all operations. */
export function requestLimits(name: string, definitions: readonly LimitDefinition<Call>[]): RequestLimits {
  const limits = limitsOf(name, definitions);
  const [early, late] = [true, false].map((isOfAddress) =>
    limits.filter((limit) => limit.isOfAddress === isOfAddress),
  );
  return {
    countClient: (request, counted) =>
      countAll(
        early ?? [],
        () => [],
        () => addressOf(request),
        counted,
      ),
    countCall: (call, counted) =>
      countAll(
        late ?? [],
        (limit) => limit.valuesOf(call),
        () => call.address ?? null,
        counted,
      ),
  };
}

/** The limits of a name, in their order. */
export function limitsOf<Source>(
  name: string,
  definitions: readonly LimitDefinition<Source>[],
): readonly Limit<Source>[] {
  return definitions.map((definition, index) => new Limit(`${name} ${index + 1}`, definition));
}

/**
 * Counts the request in each limit; returns a promise only if a database counts. Throws a LimitReached for the first one that is exceeded,
 * and a ServiceError 400 or 503.
 */
export function countAll<Source>(
  limits: readonly Limit<Source>[],
  valuesOf: (limit: Limit<Source>) => readonly CountedValue[],
  address: () => string | null,
  counted: CountRequest,
): Promise<void> | undefined {
  if (limits.length === 0) return undefined;
  const network = new ClientNetwork(address());
  // All keys are read first: an invalid value must not be counted anywhere.
  const keys = limits.map((limit) => keyOf(limit.isOfAddress ? [network] : valuesOf(limit), network));
  return takeFrom(0);

  function takeFrom(first: number): Promise<void> | undefined {
    for (let index = first; index < limits.length; index += 1) {
      const shared = limits[index]?.take(keys[index] ?? '', counted);
      if (shared !== undefined) return shared.then(() => takeFrom(index + 1));
    }
    return undefined;
  }
}

/** Differs for each process, so that digests reveal nothing about the values. */
const secret = randomBytes(32).toString('base64url');

export class Limit<Source> {
  readonly isOfAddress: boolean;
  private readonly counters: Counters;

  constructor(
    private readonly name: string,
    private readonly definition: LimitDefinition<Source>,
  ) {
    this.isOfAddress = definition.by === 'address';
    this.counters = new Counters(definition.times, definition.within * 1000);
  }

  valuesOf(source: Source): readonly CountedValue[] {
    const { by } = this.definition;
    return by === 'address' ? [] : by(source);
  }

  /** Counts a request, with a promise if a database counts. Throws a LimitReached, and a ServiceError 503 if the database is not available. */
  take(key: string, counted: CountRequest): Promise<void> | undefined {
    const { times, within, count, store } = this.definition;
    if (store === undefined) {
      this.taken(this.counters.take(hash('sha256', secret + key, 'base64url')), counted);
      return undefined;
    }
    // A limit that is changed begins to count again.
    const shared = JSON.stringify([this.name, times, within, key]);
    return store.take(shared, times, within * 1000, count === 'refused').then((outcome) => {
      this.taken(outcome, counted);
    });
  }

  private taken(outcome: Counted | Exceeded, counted: CountRequest): void {
    if ('timeLeft' in outcome) throw this.reached(outcome);
    let isCounted = true;
    counted({
      isOfRefused: this.definition.count === 'refused',
      giveBack: () => {
        if (isCounted) outcome.giveBack();
        isCounted = false;
      },
    });
  }

  private reached({ timeLeft }: Exceeded): LimitReached {
    const { times, within, isOfCaller } = this.definition;
    const seconds = Math.max(1, Math.ceil(timeLeft / 1000));
    const policy = this.isOfAddress ? '"address"' : isOfCaller === true ? '"caller"' : undefined;
    const headers =
      policy === undefined
        ? []
        : ['RateLimit-Policy', `${policy};q=${times};w=${within}`, 'RateLimit', `${policy};r=0;t=${seconds}`];
    return new LimitReached(this.name, seconds, headers);
  }
}
