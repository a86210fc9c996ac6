/** Multipart bodies. */
export { readForm } from './read-form.js';
