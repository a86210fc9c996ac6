/** Runs operations of random services, based only on docs/design/operations.md. */
import { elements, evaluate, holds, indexText, Stop, textOf, type Scope } from './evaluate.js';
import {
  needsBody,
  type Expr,
  type Fulfillment,
  type Json,
  type Operation,
  type Request,
  type Schema,
  type Service,
} from './language.js';
import { newTables, run as runStatement, type Tables } from './tables.js';

/** A response; `body` is undefined if there is none, or if docs/design does not specify its text. */
export interface Outcome {
  readonly status: number;
  readonly body: Json | undefined;
  readonly isMessageOpen: boolean;
}

/** A running service, whose rows keep the changes of earlier requests. */
export class Interpreter {
  readonly tables: Tables = newTables();

  /** `observe` is called with the value of each condition of an operation. */
  constructor(
    private readonly service: Service,
    private readonly observe: (operation: Operation, condition: Expr, holds: boolean) => void = () =>
      undefined,
  ) {}

  answer(request: Request): Outcome {
    const { service } = this;
    const parameters = new Map<string, Json>([['id', request.id]]);
    for (const [name, value] of request.query) {
      const before = parameters.get(name);
      const values = before === undefined ? [] : Array.isArray(before) ? before : [before];
      parameters.set(name, values.length === 0 ? value : [...values, value]);
    }
    try {
      if (service.isDescribed) readDeclared(parameters);
      if (needsBody(service) && request.operation.startsWith('POST') && request.body === undefined)
        throw new Stop(400);
      const { status, body } = this.#call(request.operation, parameters, request.body ?? null);
      return { status, body, isMessageOpen: false };
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      const { status, text } = error;
      return {
        status,
        body: text === undefined ? undefined : { message: text },
        isMessageOpen: text === undefined,
      };
    }
  }

  #call(
    name: string,
    parameters: ReadonlyMap<string, Json>,
    body: Json,
  ): { status: number; body: Json | undefined } {
    const operation = this.service.operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`no operation ${name}`);
    const before: Tables = { items: [...this.tables.items], log: [...this.tables.log] };
    try {
      return new Run(
        this.service,
        operation,
        parameters,
        body,
        this.tables,
        (called, given, sent) => this.#call(called, given, sent),
        (condition, holds) => {
          this.observe(operation, condition, holds);
        },
      ).respond();
    } catch (error) {
      // Transactions are rolled back if an exception or any failure occurs.
      if (operation.transaction) Object.assign(this.tables, before);
      throw error;
    }
  }
}

/** If parameters are described, `x` is an integer and `y` a string. */
function readDeclared(parameters: Map<string, Json>): void {
  const x = parameters.get('x');
  if (x !== undefined) {
    if (typeof x !== 'string' || !/^-?[0-9]+$/.test(x)) throw new Stop(400);
    parameters.set('x', Number(x));
  }
  if (Array.isArray(parameters.get('y'))) throw new Stop(400);
}

type Call = (
  name: string,
  parameters: ReadonlyMap<string, Json>,
  body: Json,
) => { status: number; body: Json | undefined };

class Break extends Error {}

class Run {
  readonly #stored = new Map<string, Map<string, Json>>();

  constructor(
    private readonly service: Service,
    private readonly operation: Operation,
    private readonly parameters: ReadonlyMap<string, Json>,
    private readonly body: Json,
    private readonly tables: Tables,
    private readonly call: Call,
    private readonly observe: Scope['observe'],
  ) {}

  respond(): { status: number; body: Json | undefined } {
    const values = new Map<string, Json>();
    this.#all(this.operation.fulfillments, values, null);
    const scope = this.#scope(values, null);
    const response = this.operation.responses.find((one) => one.if === undefined || holds(one.if, scope));
    if (response === undefined) throw new Error('no default response');
    const { status, schema } = response;
    return { status, body: schema === undefined ? undefined : build(schema, scope) };
  }

  #scope(values: ReadonlyMap<string, Json>, element: Json): Scope {
    return {
      param: (name) => this.parameters.get(name) ?? null,
      body: this.body,
      values,
      element,
      stored: this.#stored,
      isB: this.operation.syntax === 'B',
      observe: this.observe,
    };
  }

  #all(fulfillments: readonly Fulfillment[], values: Map<string, Json>, element: Json): void {
    for (const fulfillment of fulfillments) this.#one(fulfillment, values, element);
  }

  #one(fulfillment: Fulfillment, values: Map<string, Json>, element: Json): void {
    const scope = this.#scope(values, element);
    values.delete(fulfillment.name);
    if (fulfillment.if !== undefined && !holds(fulfillment.if, scope)) return;
    values.set(fulfillment.name, this.#result(fulfillment, values, scope));
    for (const { if: condition, status, message } of fulfillment.exceptions)
      if (holds(condition, scope)) throw new Stop(status, textOf(message, scope));
    if (fulfillment.type === 'LOOP') return;
    const key = fulfillment.index && indexText(evaluate(fulfillment.index, scope));
    if (key !== undefined) {
      const stored = this.#stored.get(fulfillment.name) ?? new Map<string, Json>();
      this.#stored.set(fulfillment.name, stored.set(key, values.get(fulfillment.name) ?? null));
    }
    if (fulfillment.loopbreak.some((condition) => holds(condition, scope))) throw new Break();
  }

  #result(fulfillment: Fulfillment, values: Map<string, Json>, scope: Scope): Json {
    switch (fulfillment.type) {
      case 'READ':
      case 'UPDATE': {
        const choice = fulfillment.choices.find((one) => one.if === undefined || holds(one.if, scope));
        if (choice === undefined) return null;
        const { statement } = choice;
        const value = statement.value === undefined ? null : evaluate(statement.value, scope);
        return runStatement(statement, value, this.tables, this.service);
      }
      case 'reference': {
        const given = fulfillment.parameters.map(([name, schema]) => [name, build(schema, scope)] as const);
        const parameters = new Map([...this.parameters, ...given.filter(([name]) => name !== 'body')]);
        const sent = given.find(([name]) => name === 'body');
        return (
          this.call(fulfillment.operation, parameters, sent === undefined ? this.body : sent[1]).body ?? null
        );
      }
      case 'LOOP':
        this.#loop(fulfillment, values, scope);
        return null;
    }
  }

  #loop(loop: Extract<Fulfillment, { type: 'LOOP' }>, values: ReadonlyMap<string, Json>, scope: Scope): void {
    for (const element of elements(loop.loop, scope)) {
      const inside = new Map([...values, [loop.name, element]]);
      try {
        this.#all(loop.fulfillments, inside, element);
      } catch (error) {
        if (error instanceof Break) return;
        throw error;
      }
      const after = this.#scope(inside, element);
      if (loop.loopbreak.some((condition) => holds(condition, after))) return;
    }
  }
}

/** Evaluates the schema notation: docs/design/responses.md#res-2. */
function build(schema: Schema, scope: Scope): Json {
  switch (schema.is) {
    case 'leaf':
      return evaluate(schema.value, scope);
    case 'object':
      return Object.fromEntries(schema.fields.map(([name, field]) => [name, build(field, scope)]));
    case 'list':
      return elements(schema.list, scope).map((element) => build(schema.item, { ...scope, element }));
  }
}
