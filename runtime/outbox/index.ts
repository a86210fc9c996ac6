/** Exports for generated modules of services that have an outbox. */
export { createOutbox } from './outbox.js';
export { startWithOutbox } from './service.js';
