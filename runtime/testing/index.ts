/** What generated modules import under `apikiln test`. */
export { testedRest } from './tested-rest.js';
export { underTest } from './under-test.js';
