/** Iterates over lists in steps, so that other requests are served meanwhile and the call's deadline is checked. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { loopLimit, memoryOf } from '../handler/memory.js';
import { ServiceError } from '../handler/reply.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';

/** The elements one by one, for a loop whose iterations may wait for nothing. */
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
 * As `Array.map`, for elements of which each may become much larger than it is. Throws a ServiceError (500) where the lists and the
 * indexed results of a call take more memory together than LIST_MEMORY.
 */
export async function mapInTurns<Element>(
  call: Call,
  elements: readonly Element[],
  build: Build<Element, Json>,
): Promise<Json[]> {
  const built: Json[] = [];
  for (const element of elements) {
    if (isTurnOver()) await nextTurn(call);
    const one = counted(call, element, build);
    built.push(one instanceof Promise ? await one : one);
  }
  return built;
}

/** As `Array.flatMap` for lists; for the rest as `mapInTurns`. */
export async function flatMapInTurns<Element>(
  call: Call,
  elements: readonly Element[],
  build: Build<Element, Json[]>,
): Promise<Json[]> {
  const built: Json[] = [];
  for (const element of elements) {
    if (isTurnOver()) await nextTurn(call);
    const several = counted(call, element, build);
    for (const one of several instanceof Promise ? await several : several) built.push(one);
  }
  return built;
}

/** As `first` of the joins, where what is built holds lists that go on in turns. */
export async function firstInTurns<Element>(
  call: Call,
  elements: readonly Element[] | null,
  build: Build<Element, Json>,
): Promise<Json> {
  for (const element of elements ?? []) {
    if (isTurnOver()) await nextTurn(call);
    const built = await counted(call, element, build);
    if (built !== null) return built;
  }
  return null;
}

/** What is built of an element; a promise where lists inside it go on in turns themselves. */
type Build<Element, Built extends Json> = (element: Element) => Built | Promise<Built>;

/** Builds one, without a promise where there is none; what it takes is counted. */
function counted<Element, Built extends Json>(
  call: Call,
  element: Element,
  build: Build<Element, Built>,
): Built | Promise<Built> {
  const before = listMemory(call);
  const count = (built: Built): Built => {
    // What lists inside it take has been counted.
    const inside = listMemory(call) - before;
    takeMemory(call, 'lists', Math.max(0, memoryOf(built) - inside));
    return built;
  };
  const built = build(element);
  return built instanceof Promise ? built.then(count) : count(built);
}

/** In bytes. */
interface Taken {
  lists: number;
  results: number;
}

const takenBy = new WeakMap<Call, Taken>();

/** The bytes that the lists of the call take so far, without its indexed results. */
export function listMemory(call: Call): number {
  return takenBy.get(call)?.lists ?? 0;
}

/**
 * Counts so many bytes more, or fewer where they are negative. Throws a ServiceError (500) where lists and results take more than
 * LIST_MEMORY.
 */
export function takeMemory(call: Call, kind: keyof Taken, bytes: number): void {
  let taken = takenBy.get(call);
  if (taken === undefined) takenBy.set(call, (taken = { lists: 0, results: 0 }));
  taken[kind] += bytes;
  if (taken.lists + taken.results <= loopLimit.memory) return;
  const what = kind === 'lists' ? 'lists' : 'indexed results';
  const log = { reason: `the ${what} of a call take more than ${loopLimit.memory} bytes (LIST_MEMORY)` };
  throw new ServiceError(500, 'The response is too large', { log });
}
