/** Calls, replies, values, loops and joins: what every handler may use. */
export type { Call } from './call.js';
export { equal, greater, greaterOrEqual, isTrue, less, lessOrEqual } from './compare.js';
export { concurrently } from './concurrently.js';
export { elements, size, type ListPlace } from './elements.js';
export { firstInTurns, flatMapInTurns, inTurns, mapInTurns } from './in-turns.js';
export { IndexedResults } from './indexed-results.js';
export { first, groupBy, orNull, type Groups } from './join.js';
export type { Json, JsonObject, Row } from './json.js';
export { list } from './list.js';
export { every, get, type Step } from './path.js';
export { refer } from './reference.js';
export { fail, reply, type Failure, type Reply } from './reply.js';
export { ServiceError } from './service-error.js';
export { textOf } from './text.js';
