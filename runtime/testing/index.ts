/** Exports for generated modules under `apikiln test`. */
export { cover } from './cover.js';
export { testedOutbox } from './tested-outbox.js';
export { testedRest } from './tested-rest.js';
export { underTest } from './under-test.js';
