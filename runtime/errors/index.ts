/** Exports for generated modules: the bodies of errors. */
export { errorBodies } from './error-bodies.js';
export { problem } from './problem.js';
