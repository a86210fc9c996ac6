/** What the generated `src/api.ts` imports. */
export { boolean } from './boolean.js';
export { allOf, anyOf, byKind, later, not, nullable, oneOf } from './combine.js';
export { input } from './input.js';
export { list } from './list.js';
export { integer, number } from './number.js';
export { object } from './object.js';
export { parameter } from './parameter.js';
export { anything, required, type Schema } from './schema.js';
export { text } from './text.js';
export { values } from './values.js';
