/** Caches modules of operations between builds while their plan is unchanged. */
import type { OperationPlan } from '../plan/operation-plan.js';
import type { ServicePlan } from '../plan/plan.js';
import { emitHandler, issuersOf } from './handler.js';
import type { Module } from './module/module.js';
import { ReplyBodies } from './types/reply-bodies.js';

interface Kept {
  /** The parts of the plan that the module depends on. */
  readonly key: string;
  readonly module: Module;
}

export class HandlersCache {
  readonly #modules = new WeakMap<OperationPlan, Kept>();

  /** The handlers of all operations, in order. */
  handlers(plan: ServicePlan): Module[] {
    const bodies: ReplyBodies = new ReplyBodies(
      plan.operations,
      (operation) => this.#handler(operation, plan, bodies).replyBody,
    );
    return plan.operations.map((operation) => this.#handler(operation, plan, bodies));
  }

  #handler(operation: OperationPlan, plan: ServicePlan, bodies: ReplyBodies): Module {
    const { datasources, debug, authentications, functions } = plan;
    const identifiers = datasources.map(({ identifier }) => identifier);
    const issuers = [...issuersOf(operation, authentications)];
    const key = JSON.stringify([identifiers, debug, bodies.key(operation), issuers]);
    const known = this.#modules.get(operation);
    if (known?.key === key) return known.module;
    const module = emitHandler(operation, { datasources, debug, authentications, functions }, { bodies });
    module.finish();
    this.#modules.set(operation, { key, module });
    return module;
  }
}
