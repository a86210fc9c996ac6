/**
 * The maximum number of statements, round trips and requests of an operation: assumes that every condition is true, nothing ends the
 * operation, and loops run as often as possible. Includes called operations. Only retries of `retry` are counted.
 */
import type { LoopFulfillment } from '../../read/config/config-model.js';
import { printExpression } from '../../read/expression/print-expression.js';
import type {
  DataStep,
  LoopAhead,
  LoopSent,
  LoopStep,
  ReadStep,
  StatementPlan,
} from '../../generate/plan/operation-plan.js';
import type { MessagePlan } from '../../generate/plan/requests/message-plan.js';
import type { RequestPlan } from '../../generate/plan/requests/request-plan.js';
import type { DatasourceIdentifier } from '../../generate/plan/names/identifiers.js';
import { retryDefaults } from '../../../runtime/rest/retry-defaults.js';
import { CallCount } from './call-count.js';
import type { Cost } from './explained.js';
import { loopBound } from './loop-bound.js';
import {
  retryOf,
  viewedSteps,
  type ServiceView,
  type ViewedOperation,
  type ViewedStep,
} from './service-view.js';

export function costOf(operation: ViewedOperation, view: ServiceView): Cost {
  // A first pass finds all loops, because their letters depend on the number of loops.
  const loops = new Map<LoopStep, Cost['loops'][number]>();
  const dry = new Costs(view, (name) => name, loops);
  dry.operation(operation, false);
  const symbols = new Map(
    [...loops.keys()].map((loop, index) => [loop, loops.size === 1 ? 'n' : `n${index + 1}`]),
  );
  const costs = new Costs(view, (_, loop) => symbols.get(loop) ?? 'n', new Map());
  const tally = costs.operation(operation, false);
  return {
    databases: view.databases.flatMap(({ identifier, name }) => {
      const { calls, trips } = tally.of(identifier);
      return calls.isNone ? [] : [{ datasource: name, statements: calls.print(), roundTrips: trips.print() }];
    }),
    thirdParties: view.thirdParties.flatMap(({ identifier, name }) => {
      const { calls, tries, seconds } = tally.of(identifier);
      if (calls.isNone) return [];
      return [{ datasource: name, calls: calls.print(), tries: tries.print(), seconds: seconds.print() }];
    }),
    loops: [...costs.loops.values()],
    deliveries: view.thirdParties.flatMap(({ identifier, name }) =>
      costs.deliveries.has(identifier) ? [name] : [],
    ),
    ...(costs.later.size === 0 ? {} : { later: [...costs.later] }),
    ownCode: costs.ownCode,
    cycles: [...costs.cycles],
  };
}

/** Seconds per third-party request if the datasource has no `timeout` (runtime/rest/rest.ts). */
const defaultTimeout = 30;

/** A loop sends up to 32 reads ahead, and refills in batches of 16 (runtime/sql/reads-ahead.ts). */
const window = 32;
const refill = 16;

/**
 * Statements of a loop in a transaction that are sent without waiting in between (runtime/sql/send-each.ts); on MariaDB, blocks of these
 * sizes (runtime/mysql/block.ts).
 */
const sentAtOnce = 128;
const blockSizes = [32, 8] as const;

/** The most statements of the loop that are sent without waiting in between. */
export function mostAtOnce(statements: readonly ReadStep[]): number {
  return statements[0]?.statement.sql.dialect === 'mysql'
    ? ofWholeElements(blockSizes[0], statements.length)
    : sentAtOnce;
}

/** A block has all statements of its elements. */
function ofWholeElements(size: number, count: number): number {
  return Math.max(1, Math.floor(size / count)) * count;
}

/** Max loop elements read by one statement (runtime/sql/each.ts). */
export function elementsAtOnce({ sql }: StatementPlan): number {
  return sql.dialect === 'mysql' ? 16 : 128;
}

interface Calls {
  /** Number of statements or requests. */
  readonly calls: CallCount;
  readonly trips: CallCount;
  /** For third parties: requests including retries of `retry`. */
  readonly tries: CallCount;
  readonly seconds: CallCount;
}

const { none } = CallCount;
const nothing: Calls = { calls: none, trips: none, tries: none, seconds: none };

/** Prefixes the identifier of a database that stores requests before the commit. */
const storing = 'stored in ';

/** Counts by datasource identifier. */
class Tally {
  readonly #all: ReadonlyMap<string, Calls>;

  constructor(all: Iterable<readonly [string, Calls]> = []) {
    this.#all = new Map(all);
  }

  of(datasource: string): Calls {
    return this.#all.get(datasource) ?? nothing;
  }

  plus(other: Tally): Tally {
    const sum = new Map(this.#all);
    for (const [name, added] of other.#all) {
      const own = this.of(name);
      sum.set(name, {
        calls: own.calls.plus(added.calls),
        trips: own.trips.plus(added.trips),
        tries: own.tries.plus(added.tries),
        seconds: own.seconds.plus(added.seconds),
      });
    }
    return new Tally(sum);
  }

  times(factor: number | string): Tally {
    return this.map(({ calls, trips, tries, seconds }) => ({
      calls: calls.times(factor),
      trips: trips.times(factor),
      tries: tries.times(factor),
      seconds: seconds.times(factor),
    }));
  }

  map(change: (calls: Calls, datasource: string) => Calls): Tally {
    return new Tally([...this.#all].map(([name, calls]) => [name, change(calls, name)]));
  }
}

class Costs {
  readonly cycles = new Set<string>();
  /** Identifiers of third parties to which requests are delivered after the commit. */
  readonly deliveries = new Set<string>();
  /** Operations that are called after the commit. */
  readonly later = new Set<string>();
  ownCode = false;
  /** Operations that are being counted, because calls may form a cycle. */
  readonly #open: string[] = [];
  readonly #known = new Map<string, Tally>();

  constructor(
    private readonly view: ServiceView,
    /** The letter for a loop's number of iterations. */
    private readonly symbolOf: (fulfillment: string, loop: LoopStep) => string,
    readonly loops: Map<LoopStep, Cost['loops'][number]>,
  ) {}

  operation(operation: ViewedOperation, inTransaction: boolean): Tally {
    const { name, transaction } = operation.plan;
    const isRequest = this.#open.length === 0;
    const key = JSON.stringify([name, inTransaction, isRequest]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#open.includes(name)) {
      this.cycles.add([...this.#open.slice(this.#open.indexOf(name)), name].join(' → '));
      return new Tally();
    }
    this.#open.push(name);
    const steps = viewedSteps(operation.plan.steps, operation.checked.fulfillments);
    const ofSteps = this.#steps(steps, {
      operation,
      loop: undefined,
      inTransaction: inTransaction || transaction,
    });
    this.#open.pop();
    // Only requests have a key.
    const inner = isRequest ? ofSteps.plus(this.#ofKey(name)) : ofSteps;
    const tally = transaction && !inTransaction ? this.#withTransactions(inner) : inner;
    this.#known.set(key, tally);
    return tally;
  }

  /** The statements that claim an idempotency key and store the response: with a lock of the session, four; with a role or context, another. */
  #ofKey(operation: string): Tally {
    const store = this.view.plan.idempotency.get(operation)?.store;
    const database = this.view.databases.find(({ identifier }) => identifier === store);
    if (database === undefined) return new Tally();
    const hasContext = database.role !== undefined || database.context.length > 0;
    const count = CallCount.of((database.dialect === 'postgresql' ? 2 : 4) + (hasContext ? 1 : 0));
    return new Tally([[database.identifier, { ...nothing, calls: count, trips: count }]]);
  }

  /** Adds BEGIN and COMMIT of each database. PostgreSQL receives BEGIN with the first statement, unless there is a pooler. */
  #withTransactions(tally: Tally): Tally {
    const stores = this.view.databases.filter(
      ({ identifier }) => !tally.of(`${storing}${identifier}`).calls.isNone,
    );
    const one = { ...nothing, calls: CallCount.of(1), trips: CallCount.of(1) };
    const stored = tally.plus(new Tally(stores.map(({ identifier }) => [identifier, one])));
    return stored.map((calls, name) => {
      const database = this.view.databases.find(({ identifier }) => identifier === name);
      if (calls.calls.isNone || database === undefined) return calls;
      const added = CallCount.of(database.dialect === 'postgresql' ? 1 : 2);
      return { ...calls, trips: calls.trips.plus(added) };
    });
  }

  #steps(steps: readonly ViewedStep[], context: CostContext): Tally {
    const { operation, inTransaction } = context;
    const { together, requests } = operation.plan.overlap;
    const rows = inTransaction ? [] : [...together.values()];
    const joining = new Set(rows.flatMap((reads) => reads.slice(1).map(({ step }) => step)));
    const hidden = this.#hidden([...requests.values()]);
    let tally = new Tally();
    for (const step of steps) {
      switch (step.kind) {
        case 'data': {
          const [choice] = step.step.choices;
          if (choice === undefined) break;
          if (choice.action.kind !== 'statement' && choice.action.isDelivered) {
            this.deliveries.add(choice.action.datasource);
            tally = tally.plus(this.#stored(choice.action.datasource));
            break;
          }
          // The rows of a list are counted in the same round trip, except in transactions.
          const isCounted = countsRows(choice.action);
          const trips = joining.has(step.step) ? none : CallCount.of(isCounted && inTransaction ? 2 : 1);
          const { pages, tries, seconds } = this.#worst(step.step);
          const statements = isCounted ? CallCount.of(2) : pages;
          const calls = { calls: statements, trips, tries, seconds: hidden.has(step.step) ? none : seconds };
          tally = tally.plus(new Tally([[choice.action.datasource, calls]]));
          break;
        }
        case 'loop':
          tally = tally.plus(this.#loop(step, context));
          break;
        case 'code':
          this.ownCode = true;
          break;
        case 'compute':
          break;
        case 'deferred':
          this.later.add(step.step.called.name);
          tally = tally.plus(storedIn(step.step.outbox));
          break;
        case 'reference':
          tally = tally.plus(this.operation(this.view.called(step.step.called.name), inTransaction));
          break;
      }
    }
    return tally;
  }

  /** The requests that end before another one of the same third party which is sent at the same time. */
  #hidden(groups: readonly (readonly DataStep[])[]): ReadonlySet<DataStep> {
    const found = new Set<DataStep>();
    for (const group of groups) {
      const longest = new Map<string, { readonly step: DataStep; readonly seconds: number }>();
      for (const step of group) {
        const [choice] = step.choices;
        if (choice === undefined) continue;
        const { datasource } = choice.action;
        const owner = this.view.datasource(datasource);
        // A limit may let them wait for each other.
        if (owner.type === 'rest' && owner.limit !== undefined) continue;
        const seconds = Math.max(0, ...this.#requestsOf(step).map((one) => one.seconds));
        const other = longest.get(datasource);
        if (other !== undefined) found.add(other.seconds < seconds ? other.step : step);
        if (other === undefined || other.seconds < seconds) longest.set(datasource, { step, seconds });
      }
    }
    return found;
  }

  /** Stored requests and calls count once for the transaction, however many there are. */
  #stored(thirdParty: DatasourceIdentifier): Tally {
    const owner = this.view.datasource(thirdParty);
    if (owner.type === 'db' || owner.outbox === undefined) return new Tally();
    return storedIn(owner.outbox.database);
  }

  /** Tries and duration of the choice with the most tries. */
  #worst({ choices }: DataStep): Pick<Calls, 'tries' | 'seconds'> & { readonly pages: CallCount } {
    const worst = this.#requestsOf({ choices });
    const max = (values: readonly number[]): CallCount => CallCount.of(Math.max(0, ...values));
    return {
      pages: CallCount.of(Math.max(1, ...worst.map(({ pages }) => pages))),
      tries: max(worst.map(({ tries }) => tries)),
      seconds: max(worst.map(({ seconds }) => seconds)),
    };
  }

  /** In numbers, for each of its instructions. */
  #requestsOf({ choices }: Pick<DataStep, 'choices'>): {
    readonly pages: number;
    readonly tries: number;
    readonly seconds: number;
  }[] {
    const all = choices.flatMap(({ action }) => (action.kind === 'statement' ? [] : [action]));
    return all.map((action) => {
      if (action.kind === 'message')
        return {
          pages: 1,
          tries: 1,
          seconds: this.view.datasource(action.datasource).timeout ?? defaultTimeout,
        };
      const { times = 0, maxWait = retryDefaults.maxWait } = retryOf(action, this.view) ?? {};
      const timeout = this.view.datasource(action.datasource).timeout ?? defaultTimeout;
      const pages = action.pages?.max ?? 1;
      const seconds = (times + 1) * timeout + Math.ceil(times * maxWait);
      return { pages, tries: pages * (times + 1), seconds: pages * seconds };
    });
  }

  #loop({ step, checked }: ViewedStep & { kind: 'loop' }, context: CostContext): Tally {
    const { operation, inTransaction } = context;
    const loop = checked.written;
    const { constant, bound, atMost } = loopBound(step.loop, context.loop, operation, this.view);
    const factor = constant ?? this.symbolOf(step.fulfillment, step);
    if (typeof factor === 'string' && !this.loops.has(step)) {
      const { name, syntax } = operation.plan;
      this.loops.set(step, {
        ...{ symbol: factor, operation: name, fulfillment: step.fulfillment },
        ...{ over: printExpression(step.loop, syntax), bound, atMost },
      });
    }
    const ahead = inTransaction ? undefined : operation.plan.overlap.loops.get(step);
    if (ahead !== undefined) return sentAhead(ahead, factor);
    const sent = operation.plan.overlap.sent.get(step);
    if (sent !== undefined) return sentAtOnceIn(sent, factor);
    const inside = viewedSteps(step.steps, checked.fulfillments);
    return this.#steps(inside, { ...context, loop }).times(factor);
  }
}

function countsRows(action: MessagePlan | RequestPlan | StatementPlan): boolean {
  return action.kind === 'statement' && action.list?.numbered?.maxTotal !== undefined;
}

interface CostContext {
  readonly operation: ViewedOperation;
  readonly loop: LoopFulfillment | undefined;
  readonly inTransaction: boolean;
}

/** Counts a loop in a transaction; the statements of its first element are sent one by one. */
function sentAtOnceIn({ statements }: LoopSent, factor: number | string): Tally {
  const [first] = statements;
  if (first === undefined) return new Tally();
  const count = statements.length;
  const calls = CallCount.of(count).times(factor);
  const most = mostAtOnce(statements);
  const trips =
    typeof factor === 'number'
      ? CallCount.of(factor === 0 ? 0 : count + tripsAfterFirst(count * (factor - 1), statements))
      : CallCount.of(count).plus(CallCount.of(1).times(`⌈${count === 1 ? '' : count}${factor}/${most}⌉`));
  return new Tally([[first.statement.datasource, { calls, trips, tries: none, seconds: none }]]);
}

function tripsAfterFirst(statements: number, of: readonly ReadStep[]): number {
  if (of[0]?.statement.sql.dialect !== 'mysql') return Math.ceil(statements / sentAtOnce);
  let [trips, left] = [0, statements];
  for (const size of blockSizes.map((one) => ofWholeElements(one, of.length))) {
    if (size < 2) continue;
    trips += Math.floor(left / size);
    left %= size;
  }
  return trips + left;
}

/** Counts a loop whose reads are sent ahead: in batches of 16 after the first 32, or for several elements in one query. */
function sentAhead({ reads, isChain }: LoopAhead, factor: number | string): Tally {
  const [read] = reads;
  if (read === undefined) return new Tally();
  const calls = CallCount.of(reads.length).times(factor);
  const trips = isChain ? chainTrips(reads, factor) : apartTrips(reads, factor);
  return new Tally([[read.statement.datasource, { calls, trips, tries: none, seconds: none }]]);
}

function apartTrips([read, ...others]: readonly ReadStep[], factor: number | string): CallCount {
  if (others.length === 0 && read?.statement.each !== undefined)
    return portions(elementsAtOnce(read.statement), factor);
  const count = 1 + others.length;
  return typeof factor === 'number'
    ? CallCount.of(tripsFor(count * factor))
    : CallCount.of(1).times(`⌈${count === 1 ? '' : count}${factor}/${refill}⌉`);
}

/** Each read processes the elements in batches no larger than those of the reads before it. */
function chainTrips(reads: readonly ReadStep[], factor: number | string): CallCount {
  let most = Infinity;
  let trips = none;
  for (const { statement } of reads) {
    most = Math.min(most, statement.each === undefined ? refill : elementsAtOnce(statement));
    trips = trips.plus(portions(most, factor));
  }
  return trips;
}

function portions(elements: number, factor: number | string): CallCount {
  return typeof factor === 'number'
    ? CallCount.of(Math.ceil(factor / elements))
    : CallCount.of(1).times(`⌈${factor}/${elements}⌉`);
}

function tripsFor(reads: number): number {
  return reads <= window ? Math.min(reads, 1) : 1 + Math.ceil((reads - window) / refill);
}

/** The statement that stores requests and calls in the database. */
function storedIn(database: DatasourceIdentifier): Tally {
  return new Tally([[`${storing}${database}`, { ...nothing, calls: CallCount.of(1) }]]);
}
