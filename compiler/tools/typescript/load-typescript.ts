/** TypeScript's own compiler, which ts-morph brings: 15 MB, so it is loaded when user code is read, and not before. */
import { createRequire } from 'node:module';
import type * as tsMorph from 'ts-morph';
export type { ts } from 'ts-morph';

let loaded: typeof tsMorph.ts | undefined;

/** Required: for an `import` Node reads the whole of TypeScript once more to find its exports. */
export function typescript(): typeof tsMorph.ts {
  loaded ??= (createRequire(import.meta.url)('ts-morph') as typeof tsMorph).ts;
  return loaded;
}
