/** Exports for generated modules: passwords of the service's accounts. */
export { hashPassword, isOutdated, verifyPassword } from './passwords.js';
