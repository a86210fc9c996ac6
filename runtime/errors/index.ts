/** Exports for generated modules: error bodies. */
export { errorBodies } from './error-bodies.js';
export { problem } from './problem.js';
