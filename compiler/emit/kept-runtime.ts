/** The runtime that is kept from one build to the next, as long as the service needs the same parts of it. */
import type { Assets } from '../assets.js';
import { emitRuntime, type RuntimePackage } from './runtime-package.js';

export class KeptRuntime {
  #kept: { readonly assets: Assets; readonly key: string; readonly runtime: RuntimePackage } | undefined;

  runtime(parts: ReadonlySet<string>, assets: Assets): RuntimePackage {
    const key = [...parts].sort().join();
    if (this.#kept?.assets !== assets || this.#kept.key !== key)
      this.#kept = { assets, key, runtime: emitRuntime(parts, assets) };
    return this.#kept.runtime;
  }
}
