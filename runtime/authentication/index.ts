/** The exports of the part `authentication`, which generated code and user code import. */
export { accept, optional, withScopes } from './accept.js';
export { knownPages } from './known-pages.js';
