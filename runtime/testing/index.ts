/** Exports for generated modules under `apikiln test`. */
export { testedRest } from './tested-rest.js';
export { underTest } from './under-test.js';
