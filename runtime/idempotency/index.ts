/** The exports of the part `idempotency`, which generated code imports. */
export { idempotencyKeys } from './idempotency-keys.js';
export { keyStore } from './key-store.js';
