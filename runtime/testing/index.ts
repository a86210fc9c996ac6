/** What generated modules import where `apikiln test` runs them. */
export { testedRest } from './tested-rest.js';
export { underTest } from './under-test.js';
