/** MySQL and MariaDB datasources, and values as their statements take them. */
export { moment, moments } from './moment.js';
export { mysql } from './mysql.js';
export { jsonText, numeric, typed } from './number.js';
export { limit, offset } from './row-count.js';
