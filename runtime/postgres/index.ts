/** Exports for services with a database of PostgreSQL. */
export { postgres } from './postgres.js';
export { rowsOfCaller } from './rows-of-caller.js';
