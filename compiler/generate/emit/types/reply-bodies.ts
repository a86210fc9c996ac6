/** Types of reply bodies, for operations that call other operations. */
import { isAnything } from '../../plan/model.js';
import type { ReadValue } from '../../plan/requests/request-read.js';
import type { OperationPlan, StepPlan } from '../../plan/operation-plan.js';

/** The body of an operation's replies. */
export interface ReplyBody {
  /** The name of the type. */
  readonly name: string;
  /** The module that exports the type, without extension. */
  readonly path: string;
  /** The printed type. */
  readonly text: string;
  readonly value: ReadValue;
}

export class ReplyBodies {
  readonly #operations: ReadonlyMap<string, OperationPlan>;
  readonly #called: ReadonlySet<string>;
  readonly #bodies = new Map<string, ReplyBody | undefined>();

  /** `bodyOf` emits an operation and returns the type of its reply. */
  constructor(
    operations: readonly OperationPlan[],
    private readonly bodyOf: (operation: OperationPlan) => ReplyBody | undefined,
  ) {
    this.#operations = new Map(operations.map((operation) => [operation.name, operation]));
    this.#called = new Set(operations.flatMap(({ steps }) => calledNames(steps)));
  }

  /**
   * Whether the operation declares the type of its reply: other operations call it, and it does not call itself, which would make the type
   * circular.
   */
  isDeclaredBy({ name }: OperationPlan): boolean {
    return this.isCalled({ name }) && !this.#reachedFrom(name).has(name);
  }

  isCalled({ name }: Pick<OperationPlan, 'name'>): boolean {
    return this.#called.has(name);
  }

  /** Undefined if the reply is unknown. */
  of(name: string): ReplyBody | undefined {
    const operation = this.#operations.get(name);
    if (operation === undefined || !this.isDeclaredBy(operation)) return undefined;
    if (!this.#bodies.has(name)) this.#bodies.set(name, this.bodyOf(operation));
    return this.#bodies.get(name);
  }

  /** The parts of other operations that an operation's code depends on; if the key changes, the operation is emitted again. */
  key(operation: OperationPlan): unknown {
    const called = [...new Set(calledNames(operation.steps))].map((name) => {
      const { name: type, text } = this.of(name) ?? {};
      return [type, text];
    });
    return [this.isCalled(operation), this.isDeclaredBy(operation), called];
  }

  #reachedFrom(name: string): ReadonlySet<string> {
    const reached = new Set<string>();
    const open = [name];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const called of calledNames(this.#operations.get(next)?.steps ?? [])) {
        if (!reached.has(called)) open.push(called);
        reached.add(called);
      }
    }
    return reached;
  }
}

/** Whether the type is more specific than any JSON value or null. */
export function isTyped({ type: { kinds } }: ReadValue): boolean {
  return !isAnything({ kinds }) && !(kinds.size === 1 && kinds.has('null'));
}

function calledNames(steps: readonly StepPlan[]): string[] {
  return steps.flatMap((step) =>
    step.kind === 'reference' ? [step.called.name] : step.kind === 'loop' ? calledNames(step.steps) : [],
  );
}
