/** Visits the expressions of an operation in evaluation order, with the names that each expression can read. */
import type {
  DataFulfillment,
  DeferredFulfillment,
  Exception,
  Fulfillment,
  Instruction,
  LoopFulfillment,
  Message,
  Operation,
  ReferenceFulfillment,
  Request,
  Response,
  Schema,
} from './config-model.js';
import type { Expression, Template } from '../expression/ast.js';
import { nodesIn } from '../expression/visit.js';
import type { SqlStatement } from '../sql/statement.js';

export interface Scope {
  /** Completed fulfillments and active loops, by name. */
  readonly visible: ReadonlyMap<string, Fulfillment>;
  /** Active loops by name, outermost first. */
  readonly loops: ReadonlyMap<string, Fulfillment>;
  /** True inside an `item` or a loop, where `@` is the current element. */
  readonly hasElement: boolean;
  /** True inside an `item`, where `@` is not the element of a loop. */
  readonly inItem?: boolean;
  /** True in the body of an error, where ERROR is available. */
  readonly inError?: boolean;
  /** True for the list of a loop, or for a "list" in a schema. */
  readonly isList?: boolean;
  /** True in the operation's own exceptions, before its first fulfillment. */
  readonly isBeforeAll?: boolean;
  /** The fulfillment in progress, whose result is not available yet. */
  readonly running?: string;
  /** True in unreachable instructions, which follow an instruction without a condition. */
  readonly isUnreached?: boolean;
}

export type ExpressionVisitor = (expression: Expression, scope: Scope) => void;

/** All fulfillments of an operation, including those inside loops, each with its loop. */
export function allFulfillments(
  fulfillments: readonly Fulfillment[],
  loop?: LoopFulfillment,
): { fulfillment: Fulfillment; loop: LoopFulfillment | undefined }[] {
  const all: { fulfillment: Fulfillment; loop: LoopFulfillment | undefined }[] = [];
  for (const fulfillment of fulfillments) {
    all.push({ fulfillment, loop });
    if (fulfillment.type === 'LOOP') all.push(...allFulfillments(fulfillment.fulfillments, fulfillment));
  }
  return all;
}

/** The operation's own exceptions, followed by those of its fulfillments. */
export function exceptionsOf({ exceptions, fulfillments }: Operation): readonly Exception[] {
  return [
    ...exceptions,
    ...allFulfillments(fulfillments).flatMap(({ fulfillment }) => fulfillment.exceptions),
  ];
}

/** The loop that contains the fulfillment. */
export function loopAround(inner: Fulfillment, { fulfillments }: Operation): LoopFulfillment | undefined {
  return allFulfillments(fulfillments).find(({ fulfillment }) => fulfillment === inner)?.loop;
}

/** Exceptions of violated constraints, which cannot read the result, and exceptions with conditions. */
export function byTrigger(
  exceptions: readonly Exception[],
): readonly [violations: readonly Exception[], conditions: readonly Exception[]] {
  const isViolation = ({ constraint }: Exception): boolean => constraint !== undefined;
  return [exceptions.filter(isViolation), exceptions.filter((one) => !isViolation(one))];
}

/** The surrounding loop with that name, searching outward from `innermost`. */
export function loopNamed(
  name: string,
  operation: Operation,
  innermost: LoopFulfillment | undefined,
): LoopFulfillment | undefined {
  let loop = innermost;
  while (loop !== undefined && loop.name.value !== name) loop = loopAround(loop, operation);
  return loop;
}

/** The reachable instructions: all up to the first one without a condition. */
export function reachedInstructions({ instructions }: DataFulfillment): readonly Instruction[] {
  const last = instructions.findIndex((instruction) => instruction.if === undefined);
  return last === -1 ? instructions : instructions.slice(0, last + 1);
}

/** Whether the action is a valid SQL statement. */
export function isStatement(action: Instruction['action']): action is SqlStatement {
  return action !== undefined && !('kind' in action);
}

/** The requests of a fulfillment that are sent after the commit. */
export function deliveredRequests(fulfillment: Fulfillment): readonly Request[] {
  if (!('instructions' in fulfillment)) return [];
  return fulfillment.instructions.flatMap(({ action }) =>
    action !== undefined && 'url' in action && action.isDelivered ? [action] : [],
  );
}

/** The calls of a list of fulfillments that are made after the commit, including those inside loops. */
export function deferredIn(fulfillments: readonly Fulfillment[]): readonly DeferredFulfillment[] {
  return allFulfillments(fulfillments).flatMap(({ fulfillment }) =>
    fulfillment.type === 'DEFERRED' ? [fulfillment] : [],
  );
}

/** The mails of a fulfillment. */
export function messagesOf(fulfillment: Fulfillment): readonly Message[] {
  if (!('instructions' in fulfillment)) return [];
  return fulfillment.instructions.flatMap(({ action }) => (isMessage(action) ? [action] : []));
}

/** Whether the action is a mail. */
export function isMessage(action: Instruction['action']): action is Message {
  return action !== undefined && 'kind' in action && action.kind === 'message';
}

/** The expressions of a message, in evaluation order. */
export function expressionsOfMessage({
  to,
  cc,
  replyTo,
  subject,
  text,
  html,
}: Pick<Message, 'to' | 'cc' | 'replyTo' | 'subject' | 'text' | 'html'>): readonly Expression[] {
  const inText = [...(text ?? []), ...(html ?? [])].filter(
    (part): part is Expression => typeof part !== 'string',
  );
  return [...to, ...cc, ...replyTo, ...(subject === undefined ? [] : [subject]), ...inText];
}

/** Cached, because the references of an operation are requested repeatedly. */
const references = new WeakMap<Operation, readonly ReferenceFulfillment[]>();

/** The reference fulfillments of an operation that call immediately, including those inside loops. */
export function referencesOf(operation: Operation): readonly ReferenceFulfillment[] {
  const known = references.get(operation);
  if (known !== undefined) return known;
  const found = allFulfillments(operation.fulfillments).flatMap(({ fulfillment }) =>
    fulfillment.type === 'REFERENCE' ? [fulfillment] : [],
  );
  references.set(operation, found);
  return found;
}

/** These operations and all operations that they call directly or indirectly. Unknown names are ignored. */
export function withCalled(
  these: readonly Operation[],
  byName: ReadonlyMap<string, Operation>,
  isWanted: (operation: Operation) => boolean = () => true,
): ReadonlySet<Operation> {
  const found = new Set(these);
  // Iterating over a Set also visits operations that are added during the loop.
  for (const operation of found) {
    for (const { operationName } of referencesOf(operation)) {
      const called = byName.get(operationName.value);
      if (called !== undefined && isWanted(called)) found.add(called);
    }
  }
  return found;
}

/** The names of the operations called by reference fulfillments, immediately or after a commit. */
export function calledNames(operations: readonly Operation[]): Set<string> {
  const called = operations.flatMap(referencesOf).map(({ operationName }) => operationName.value);
  return new Set([...called, ...deferredNames(operations)]);
}

/** The names of the operations called after a commit. */
export function deferredNames(operations: readonly Operation[]): Set<string> {
  const all = operations.flatMap(({ fulfillments }) => deferredIn(fulfillments));
  return new Set(all.map(({ operationName }) => operationName.value));
}

/** The expressions in a schema. */
export function leavesOf(schema: Schema): Expression[] {
  switch (schema.kind) {
    case 'leaf':
      return [schema.value];
    case 'object':
      return schema.fields.flatMap(({ value }) => leavesOf(value));
    case 'array':
      return [schema.list, ...leavesOf(schema.item)];
  }
}

/** Calls the visitor with every expression of the operation. */
export function walkOperation(operation: Operation, visitor: ExpressionVisitor): void {
  const walk = new Walk(visitor);
  const visible = new Map<string, Fulfillment>();
  const before = { visible: new Map(), loops: new Map(), hasElement: false, isBeforeAll: true };
  for (const { by } of operation.limits) for (const value of by) walk.expression(value, before);
  walk.expression(operation.idempotency?.key, before);
  for (const exception of operation.exceptions) walk.exception(exception, before);
  walk.fulfillments(operation.fulfillments, visible);
  const scope = { visible, loops: new Map<string, Fulfillment>(), hasElement: false };
  for (const response of operation.responses) {
    walk.expression(response.if, scope);
    walk.schema(response.schema, scope);
    for (const { value } of response.header) walk.template(value, scope);
    walk.expression(storedType(response), scope);
    walk.expression(response.fileName, scope);
    if (response.etag !== true) walk.expression(response.etag, scope);
  }
  for (const mapping of operation.mappings) {
    for (const field of mapping.fields) walk.expression(field.value, scope);
  }
}

/** The media type that is stored with the file that a response sends. */
export function storedType({ contentType }: Response): Expression | undefined {
  return contentType === undefined || !('allowed' in contentType) ? undefined : contentType.stored;
}

/** All nodes of all its expressions. */
export function nodesOf(operation: Operation): Expression[] {
  const found: Expression[] = [];
  walkOperation(operation, (expression) => {
    nodesIn(expression, found);
  });
  return found;
}

class Walk {
  constructor(private readonly visitor: ExpressionVisitor) {}

  expression(expression: Expression | undefined, scope: Scope): void {
    if (expression !== undefined) this.visitor(expression, scope);
  }

  template(template: Template | undefined, scope: Scope): void {
    for (const part of template ?? []) if (typeof part !== 'string') this.visitor(part, scope);
  }

  schema(schema: Schema | undefined, scope: Scope): void {
    switch (schema?.kind) {
      case 'leaf':
        this.visitor(schema.value, scope);
        break;
      case 'object':
        for (const field of schema.fields) this.schema(field.value, scope);
        break;
      case 'array':
        this.visitor(schema.list, { ...scope, isList: true });
        this.schema(schema.item, { ...scope, hasElement: true, inItem: true });
        break;
      case undefined:
        break;
    }
  }

  /** Visits the fulfillments and adds each name to `visible` when its fulfillment runs; `loops` are the surrounding loops. */
  fulfillments(
    fulfillments: readonly Fulfillment[],
    visible: Map<string, Fulfillment>,
    loops: ReadonlyMap<string, Fulfillment> = new Map(),
  ): void {
    const hasElement = loops.size > 0;
    for (const fulfillment of fulfillments) {
      const before = { visible, loops, hasElement, running: fulfillment.name.value };
      this.#fulfillment(fulfillment, before);
      const [violations, conditions] = byTrigger(fulfillment.exceptions);
      for (const exception of violations) this.exception(exception, before);
      visible.set(fulfillment.name.value, fulfillment);
      const after = { visible, loops, hasElement };
      for (const exception of conditions) this.exception(exception, after);
      if (fulfillment.type !== 'LOOP') {
        for (const condition of fulfillment.loopbreak) this.visitor(condition, after);
        this.expression(fulfillment.index, after);
      }
    }
  }

  #fulfillment(fulfillment: Fulfillment, scope: Scope): void {
    this.expression(fulfillment.if, scope);
    switch (fulfillment.type) {
      case 'READ':
      case 'UPDATE':
        for (const instruction of reachedInstructions(fulfillment)) this.#instruction(instruction, scope);
        for (const instruction of fulfillment.instructions.slice(reachedInstructions(fulfillment).length))
          this.#instruction(instruction, { ...scope, isUnreached: true });
        this.expression(fulfillment.order?.by, scope);
        this.expression(fulfillment.page?.limit, scope);
        this.expression(fulfillment.page?.after, scope);
        this.expression(fulfillment.page?.number, scope);
        this.expression(fulfillment.page?.offset, scope);
        this.expression(fulfillment.filter?.from, scope);
        break;
      case 'REFERENCE':
      case 'DEFERRED':
        for (const parameter of fulfillment.parameters) this.schema(parameter.value, scope);
        break;
      case 'CODE':
        this.schema(fulfillment.input, scope);
        break;
      case 'COMPUTE':
        this.schema(fulfillment.schema, scope);
        break;
      case 'LOOP': {
        this.expression(fulfillment.loop, { ...scope, isList: true });
        const own = [fulfillment.name.value, fulfillment] as const;
        const inside = new Map([...scope.visible, own]);
        const loops = new Map([...scope.loops, own]);
        this.fulfillments(fulfillment.fulfillments, inside, loops);
        for (const condition of fulfillment.loopbreak)
          this.visitor(condition, { visible: inside, loops, hasElement: true });
        break;
      }
    }
  }

  #instruction({ if: condition, action, expressions }: Instruction, scope: Scope): void {
    this.expression(condition, scope);
    for (const expression of expressions) this.visitor(expression, scope);
    if (isMessage(action))
      for (const expression of expressionsOfMessage(action)) this.visitor(expression, scope);
    else if (action !== undefined && 'kind' in action) this.#request(action, scope);
  }

  #request(request: Request, scope: Scope): void {
    this.template(request.url?.value, scope);
    for (const header of request.header) this.template(header.value, scope);
    this.schema(request.body, scope);
    for (const part of request.multipart) this.visitor(part.value, scope);
    this.expression(request.signature?.secret, scope);
    this.expression(request.key, scope);
  }

  exception(exception: Exception, scope: Scope): void {
    this.expression(exception.if, scope);
    this.template(exception.message, scope);
    for (const { value } of exception.header) this.template(value, scope);
    this.schema(exception.schema, { ...scope, inError: true });
  }
}
