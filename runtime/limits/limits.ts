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

/** Counts the request in each limit. Throws a LimitReached for the first one that is exceeded, and a ServiceError 400 or 503. */
export async function countAll<Source>(
  limits: readonly Limit<Source>[],
  valuesOf: (limit: Limit<Source>) => readonly CountedValue[],
  address: () => string | null,
  counted: CountRequest,
): Promise<void> {
  if (limits.length === 0) return;
  const network = new ClientNetwork(address());
  // All keys are read first: an invalid value must not be counted anywhere.
  const keys = limits.map((limit) => keyOf(limit.isOfAddress ? [network] : valuesOf(limit), network));
  for (const [index, limit] of limits.entries()) await limit.take(keys[index] ?? '', counted);
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

  /** Counts a request. Throws a LimitReached, and a ServiceError 503 if the store is not available. */
  async take(key: string, counted: CountRequest): Promise<void> {
    const { times, within, count, store } = this.definition;
    const isOfRefused = count === 'refused';
    const outcome =
      store === undefined
        ? this.counters.take(hash('sha256', secret + key, 'base64url'))
        : // A limit that is changed begins to count again.
          await store.take(
            JSON.stringify([this.name, times, within, key]),
            times,
            within * 1000,
            isOfRefused,
          );
    if ('timeLeft' in outcome) throw this.reached(outcome);
    let isCounted = true;
    counted({
      isOfRefused,
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
