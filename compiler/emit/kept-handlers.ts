/** Modules of operations that are kept from one build to the next, as long as they have the same plan. */
import type { OperationPlan } from '../plan/steps.js';
import type { ServicePlan } from '../plan/plan.js';
import { emitHandler } from './handler.js';
import type { ImportTexts } from './import-text.js';
import type { Module } from './module.js';

interface Kept {
  /** What of the service the module was made with. */
  readonly key: string;
  readonly module: Module;
}

export class KeptHandlers {
  readonly #modules = new WeakMap<OperationPlan, Kept>();
  readonly #texts = new WeakMap<Module, string>();

  handler(operation: OperationPlan, plan: ServicePlan): Module {
    const { datasources, configName, debug } = plan;
    const identifiers = datasources.map(({ identifier }) => identifier);
    const key = JSON.stringify([identifiers, configName, debug]);
    const known = this.#modules.get(operation);
    if (known?.key === key) return known.module;
    const module = emitHandler(operation, { datasources, configName, debug });
    this.#modules.set(operation, { key, module });
    return module;
  }

  /** The text of a module to which nothing more is added, ready for formatting. */
  text(module: Module, imports: ImportTexts): string {
    const text = this.#texts.get(module) ?? module.text(imports);
    this.#texts.set(module, text);
    return text;
  }
}
