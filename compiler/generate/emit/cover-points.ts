/** Points counted by test coverage: steps and conditions of operations, numbered in the generated code. */
import type { OperationPlan, StepPlan } from '../plan/operation-plan.js';

/** A step, instruction, condition or response, by its position in the configuration. */
export interface CoverPoint {
  /** The counter of this point. A condition uses two: this counter counts true, the next one false. */
  readonly id: number;
  readonly operation: string;
  readonly kind: CoverKind;
  /**
   * Positions of the fulfillment and its enclosing loops in their lists, outermost first; empty for responses and exceptions of the
   * operation.
   */
  readonly path: readonly number[];
  /** Index of the instruction, exception, loopbreak or response within its fulfillment or operation. */
  readonly index: number;
  /** Name of a response. */
  readonly name?: string;
}

/** Kinds that end in `-if` are conditions. */
export type CoverKind =
  | 'fulfillment'
  | 'if'
  | 'instruction'
  | 'instruction-if'
  | 'exception'
  | 'exception-if'
  | 'loopbreak-if'
  | 'response'
  | 'response-if';

export class CoverPoints {
  readonly #points: CoverPoint[] = [];
  #next = 0;

  get all(): readonly CoverPoint[] {
    return this.#points;
  }

  /** Reserves one number, or two for a condition. */
  add(point: Omit<CoverPoint, 'id'>): number {
    const id = this.#next;
    this.#next += point.kind.endsWith('if') ? 2 : 1;
    this.#points.push({ ...point, id });
    return id;
  }

  /** The coverage points of one operation. */
  of({ name, steps }: OperationPlan): OperationPoints {
    return new OperationPoints(this, name, paths(steps, []));
  }
}

/** Assigns the numbers in the code of one operation. */
export class OperationPoints {
  constructor(
    private readonly points: CoverPoints,
    private readonly operation: string,
    private readonly paths: ReadonlyMap<StepPlan, readonly number[]>,
  ) {}

  ofStep(kind: CoverKind, step: StepPlan, index = 0): number {
    return this.points.add({ operation: this.operation, kind, path: this.paths.get(step) ?? [], index });
  }

  /** The number for an exception of the operation itself. */
  ofOperation(kind: 'exception-if', index: number): number {
    return this.points.add({ operation: this.operation, kind, path: [], index });
  }

  ofResponse(kind: 'response' | 'response-if', name: string): number {
    return this.points.add({ operation: this.operation, kind, path: [], index: 0, name });
  }
}

function paths(steps: readonly StepPlan[], around: readonly number[]): Map<StepPlan, readonly number[]> {
  return new Map(
    steps.flatMap((step, index): [StepPlan, readonly number[]][] => {
      const path = [...around, index];
      return [[step, path], ...(step.kind === 'loop' ? paths(step.steps, path) : [])];
    }),
  );
}
