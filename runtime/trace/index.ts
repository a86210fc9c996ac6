/** The steps of a call, for the test page. */
export { tracedDatabase } from './traced-database.js';
export { tracedRest } from './traced-rest.js';
export { traced } from './traced.js';
