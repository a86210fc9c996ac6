/** The exports of the part `uploads`, which generated code and user code import. */
export { readForm, readFormWith } from './read-form.js';
