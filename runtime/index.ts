/** What handlers import: each part of the runtime that the service has, with one line. */
export * from './handler/index.js';
export { jsonText, limit, moment, moments, numeric, offset, typed } from './mysql/index.js';
export { encode, headerValue, noAnswer, segment, wholeUrl, type Answer } from './rest/index.js';
export { inList, inTransaction, more, notInList, sql, startEach, value } from './sql/index.js';
export { traced } from './trace/index.js';
export { readForm } from './uploads/index.js';
