/** Goes through lists in turns: other requests get theirs, and the time of the call holds (decisions 9.6). */
import type { Call } from './call.js';
import type { Json } from './json.js';
import { listMemory, memoryOf, takeMemory } from './list-memory.js';
import { isTurnOver, nextTurn } from './turn.js';

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
