/** The exports of the part `uploads`, which generated code and user code import. */
export { readForm } from './read-form.js';
