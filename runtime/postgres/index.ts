/** Exports for services that use PostgreSQL. */
export { postgres } from './postgres.js';
export { rowsOfCaller } from './rows-of-caller.js';
