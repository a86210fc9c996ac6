/** Exports for generated modules: passwords of the service's accounts. */
export { foundAccount } from './found-account.js';
export { hashPassword, isOutdated, verifyPassword } from './passwords.js';
