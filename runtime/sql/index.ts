/** Statements of either database. */
export { startEach } from './reads-ahead.js';
export { inList, more, notInList, sql, value } from './sql.js';
export { inTransaction } from './transaction.js';
