/** Exports for recording the steps of a call, for the test page. `apikiln dev` also records timed operations. */
export { record } from './recording.js';
export { tracedDatabase } from './traced-database.js';
export { tracedOutbox } from './traced-outbox.js';
export { tracedRest } from './traced-rest.js';
export { traced } from './traced.js';
