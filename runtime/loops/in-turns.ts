/** Iterates over lists in steps, to serve other requests in between and to check the deadline of the call. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { loopLimit, memoryOf, uncounted } from '../handler/memory.js';
import { ServiceError } from '../handler/reply.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';

/** Yields the elements with pauses, for loops with synchronous iterations. */
export async function* inTurns<Element>(
  call: Call,
  elements: Iterable<Element>,
): AsyncGenerator<Element, void> {
  for (const element of elements) {
    if (isTurnOver()) await nextTurn(call);
    yield element;
  }
}

/**
 * `Array.map` with pauses and a memory limit. Throws a ServiceError: 500 if the lists and indexed results of the call exceed
 * LIST_MEMORY, 503 if all calls together use too much memory.
 */
export async function mapInTurns<Element, Built extends Json>(
  call: Call,
  elements: readonly Element[],
  build: Build<Element, Built>,
): Promise<Built[]> {
  const built: Built[] = [];
  const taken = takenOf(call);
  for (const element of elements) {
    if (isTurnOver()) await nextTurn(call);
    const one = counted(taken, element, build);
    built.push(one instanceof Promise ? await one : one);
  }
  return built;
}

/** `Array.flatMap` for lists, with the pauses and limit of `mapInTurns`. */
export async function flatMapInTurns<Element>(
  call: Call,
  elements: readonly Element[],
  build: Build<Element, Json[]>,
): Promise<Json[]> {
  const built: Json[] = [];
  const taken = takenOf(call);
  for (const element of elements) {
    if (isTurnOver()) await nextTurn(call);
    const several = counted(taken, element, build);
    for (const one of several instanceof Promise ? await several : several) built.push(one);
  }
  return built;
}

/** Like `first` in `joins`, for values that contain lists built with pauses. */
export async function firstInTurns<Element>(
  call: Call,
  elements: readonly Element[] | null,
  build: Build<Element, Json>,
): Promise<Json> {
  const taken = takenOf(call);
  for (const element of elements ?? []) {
    if (isTurnOver()) await nextTurn(call);
    const built = await counted(taken, element, build);
    if (built !== null) return built;
  }
  return null;
}

/** Builds the value for an element. Returns a promise if lists inside the value are built with pauses. */
type Build<Element, Built extends Json> = (element: Element) => Built | Promise<Built>;

/** Builds a value and counts its memory. Returns a promise only if `build` does. */
function counted<Element, Built extends Json>(
  taken: Taken,
  element: Element,
  build: Build<Element, Built>,
): Built | Promise<Built> {
  const before = taken.lists;
  const built = build(element);
  return built instanceof Promise
    ? built.then((value) => count(taken, before, value))
    : count(taken, before, built);
}

function count<Built extends Json>(taken: Taken, before: number, built: Built): Built {
  // Lists inside the value have already been counted.
  const inside = taken.lists - before;
  add(taken, 'lists', Math.max(0, memoryOf(built) - inside));
  return built;
}

type Counted = 'lists' | 'results';

/** The memory of a call, in bytes. */
interface Taken {
  readonly call: Call;
  lists: number;
  results: number;
  /** The sum already counted for the memory of all calls. */
  held: number;
}

const takenBy = new WeakMap<Call, Taken>();

function takenOf(call: Call): Taken {
  let taken = takenBy.get(call);
  if (taken === undefined)
    takenBy.set(call, (taken = { call: call.root ?? call, lists: 0, results: 0, held: 0 }));
  return taken;
}

/** Adds bytes to the count (negative to subtract). Throws a ServiceError 500 if lists and results exceed LIST_MEMORY. */
export function takeMemory(call: Call, kind: Counted, bytes: number): void {
  add(takenOf(call), kind, bytes);
}

function add(taken: Taken, kind: Counted, bytes: number): void {
  taken[kind] += bytes;
  const all = taken.lists + taken.results;
  if (all <= loopLimit.memory) {
    if (all < taken.held + uncounted) return;
    taken.call.hold?.(all - taken.held);
    taken.held = all;
    return;
  }
  const what = kind === 'lists' ? 'lists' : 'indexed results';
  const log = { reason: `the ${what} of a call take more than ${loopLimit.memory} bytes (LIST_MEMORY)` };
  throw new ServiceError(500, 'The response is too large', { log });
}
