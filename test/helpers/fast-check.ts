/**
 * fast-check with the same cases in each run, so that tests do not fail because of a case unrelated to a change: `RANDOM_SEED=7` draws
 * other cases, `RANDOM_SEED=new` different cases each time.
 */
import type * as fastCheck from 'fast-check';
import { createRequire } from 'node:module';

// `import` would load this file, by which Vitest replaces the module.
const { default: fc } = createRequire(import.meta.url)('fast-check') as typeof fastCheck;

const seed = process.env['RANDOM_SEED'] ?? '1';
if (seed !== 'new') fc.configureGlobal({ seed: Number(seed) });

export default fc;
