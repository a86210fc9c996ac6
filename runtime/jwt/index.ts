/** Exports for generated modules: token authentications by the source of their keys. */
export { jwt } from './fetched-keys.js';
export { jwtOfKey } from './own-key.js';
