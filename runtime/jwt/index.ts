/** Exports for generated modules: tokens by the source of their keys. */
export { jwt } from './fetched-keys.js';
export { jwtOfKey } from './own-key.js';
