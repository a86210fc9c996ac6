/** Exports for generated modules: tokens by where their keys are from. */
export { jwt } from './fetched-keys.js';
export { jwtOfKey } from './own-key.js';
