/** Exports for services that use MySQL or MariaDB. */
export { limit, offset, whole } from './limit-offset.js';
export { mysql } from './mysql.js';
export { jsonText, numeric, typed } from './number.js';
export { timestamp, timestamps } from './timestamp.js';
