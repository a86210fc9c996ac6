/** Exports for the generated file `src/api.ts`. */
export { array } from './array.js';
export { boolean } from './boolean.js';
export { allOf, anyOf, byKind, lazy, not, nullable, oneOf } from './combine.js';
export { discriminated } from './discriminated.js';
export { enumOf } from './enum.js';
export { input } from './validate-request.js';
export { integer, number } from './number.js';
export { object } from './object.js';
export { parameter } from './parameter-conversion.js';
export { compilePattern, compilePatterns } from './pattern.js';
export { any, required, type Schema } from './schema.js';
export { string } from './string.js';
