/** TypeScript's compiler, bundled with ts-morph: 15 MB, so it is only loaded when user code is read. */
import { createRequire } from 'node:module';
import type * as tsMorph from 'ts-morph';
export type { ts } from 'ts-morph';

let loaded: typeof tsMorph.ts | undefined;

/** Loaded with `require`: for `import`, Node would parse the whole of TypeScript again to find its exports. */
export function typescript(): typeof tsMorph.ts {
  loaded ??= (createRequire(import.meta.url)('ts-morph') as typeof tsMorph).ts;
  return loaded;
}
