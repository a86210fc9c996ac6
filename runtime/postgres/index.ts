/** PostgreSQL datasources. */
export { postgres } from './postgres.js';
