/** Exports for generated modules of services with an outbox. */
export { createOutbox } from './outbox.js';
export { startWithOutbox } from './service.js';
