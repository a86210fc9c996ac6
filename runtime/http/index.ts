/** The exports of the part `http`, which generated code and user code import. */
export { createRouter, type Loaded } from './router.js';
