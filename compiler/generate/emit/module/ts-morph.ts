/**
 * ts-morph, required: for an `import` Node reads the whole of TypeScript once more, to find the names that it exports. That is a tenth of a
 * small build.
 */
import { createRequire } from 'node:module';
import type * as tsMorph from 'ts-morph';

const { ts } = createRequire(import.meta.url)('ts-morph') as typeof tsMorph;

export { ts as typescript };
