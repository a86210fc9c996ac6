/** What the handlers of the operations use. */
export type { Call } from './handler/call.js';
export { equal, greater, greaterOrEqual, isTrue, less, lessOrEqual } from './handler/compare.js';
export { concurrently } from './handler/concurrently.js';
export { elements, size, type ListPlace } from './handler/elements.js';
export { firstInTurns, flatMapInTurns, inTurns, mapInTurns } from './handler/in-turns.js';
export { IndexedResults } from './handler/indexed-results.js';
export { first, groupBy, orNull, type Groups } from './handler/join.js';
export type { Json, JsonObject, Row } from './handler/json.js';
export { list } from './handler/list.js';
export { every, get, type Step } from './handler/path.js';
export { refer } from './handler/reference.js';
export { fail, reply, type Failure, type Reply } from './handler/reply.js';
export { ServiceError } from './handler/service-error.js';
export { textOf } from './handler/text.js';
