/** The exports of the part `signature`, which generated code and user code import. */
export { signature } from './signature.js';
