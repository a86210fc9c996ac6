/**
 * Follows an operation from its first fulfillment to its responses and determines the readable values and known facts at each position. The
 * class has more than 200 lines because each kind of fulfillment continues with the facts of the others.
 */
import type {
  CodeFulfillment,
  DataFulfillment,
  Exception,
  Fulfillment,
  Operation,
  ReferenceFulfillment,
  Request,
  Response,
  Schema,
} from '../../read/config/config-model.js';
import {
  allFulfillments,
  byTrigger,
  expressionsOfMessage,
  isMessage,
  isStatement,
  storedType,
} from '../../read/config/walk.js';
import type { Expression, Template } from '../../read/expression/ast.js';
import { nodesIn } from '../../read/expression/visit.js';
import type { SqlStatement } from '../../read/sql/statement.js';
import { Conditions, bothWays, type Decision, type Known, type Site, type KnownFacts } from './conditions.js';
import { fieldsOf, arrayOf, nullValue, objectOf, unknownValue } from './known-types.js';
import { Environment, type Readable, type RequestTypes } from './visible-values.js';
import { elementIn, typeAt, typeOf } from './infer.js';
import { allOf, orNull, withOrigin } from './join-types.js';
import { typeOfRead } from './row-read.js';
import {
  digitsOf,
  promisedElement,
  promisedField,
  sentType,
  type Digits,
  type Promised,
} from './sent-digits.js';
import type { ValueType } from './value-type.js';

/** An expression and the values that it can read. */
export interface Evaluation {
  readonly expression: Expression;
  readonly environment: Environment;
  /** True for a condition, false for a value. */
  readonly isCondition: boolean;
}

/** Facts about databases and other operations that an operation depends on. */
export interface FlowContext {
  request(operation: Operation): RequestTypes;
  /** The result of a request, which is never certain. */
  result(request: Request, fulfillment: DataFulfillment): ValueType;
  /** The rows returned by a statement. */
  rows(statement: SqlStatement, fulfillment: DataFulfillment): ValueType;
  /** The response body of the named operation for a reference. */
  responseType(name: string): ValueType;
  /** The types that a response of that operation promises to its client, if any. */
  promised(operation: Operation, response: Response | Exception): Promised | undefined;
  /** The checked result of a user function. */
  codeResult(fulfillment: CodeFulfillment): ValueType;
  /** The checked result of a user function that expressions call. */
  functionResult(name: string): ValueType;
}

export class Flow {
  readonly decisions: readonly Decision[];
  /** All reachable expressions (as a whole), in evaluation order. */
  readonly evaluations: readonly Evaluation[];
  /** The response body for references to the operation. */
  readonly responseType: ValueType;
  /** The type of each part of a schema. */
  readonly built: ReadonlyMap<Schema, ValueType>;
  /** The leaves of schema notations whose numbers are sent as strings. */
  readonly digits: ReadonlyMap<Schema, Digits>;
  /** Facts at each response without a schema, whose body may be built of mappings. */
  readonly mapped: ReadonlyMap<Response, KnownFacts>;
  /** The rows returned by each statement. */
  readonly rows: ReadonlyMap<SqlStatement, ValueType>;
  /** The result of each fulfillment, even if it is not used. */
  readonly results: ReadonlyMap<Fulfillment, ValueType>;
  /**
   * Comparisons that TypeScript would reject because it has narrowed the types: a value known to be another constant, or two known values.
   * Handlers use a helper function for these.
   */
  readonly settled: ReadonlySet<Expression>;
  /** Comparisons with a value that is known to be a time. */
  readonly times: ReadonlySet<Expression>;
  #environments: ReadonlyMap<Expression, Environment> | undefined;
  #unreached: ReadonlySet<Expression> | undefined;

  constructor(operation: Operation, context: FlowContext) {
    const walk = new Walk(context);
    this.responseType = walk.operation(operation);
    this.decisions = walk.conditions.decisions;
    this.settled = walk.conditions.settled;
    this.times = walk.conditions.times;
    this.evaluations = walk.evaluations;
    this.built = walk.built;
    this.digits = walk.digits;
    this.mapped = walk.mapped;
    this.rows = walk.rows;
    this.results = walk.results;
  }

  /** The values that each evaluated expression can read. */
  get environments(): ReadonlyMap<Expression, Environment> {
    return (this.#environments ??= new Map(
      this.evaluations.map(({ expression, environment }) => [expression, environment]),
    ));
  }

  /** Arguments of COALESCE that are never evaluated, because an earlier one is never null. */
  get unreached(): ReadonlySet<Expression> {
    return (this.#unreached ??= unreachedIn(this.evaluations));
  }
}

function unreachedIn(evaluations: readonly Evaluation[]): ReadonlySet<Expression> {
  const found = new Set<Expression>();
  const reached = new Set<Expression>();
  for (const { expression, environment } of evaluations) {
    for (const node of nodesIn(expression)) {
      if (node.kind !== 'coalesce') continue;
      const first = node.parts.findIndex((part) => !typeOf(part, environment).kinds.has('null'));
      for (const [index, part] of node.parts.entries())
        (first !== -1 && index > first ? found : reached).add(part);
    }
  }
  return new Set([...found].filter((part) => !reached.has(part)));
}

class Walk {
  readonly conditions = new Conditions();
  readonly evaluations: Evaluation[] = [];
  readonly built = new Map<Schema, ValueType>();
  readonly digits = new Map<Schema, Digits>();
  readonly mapped = new Map<Response, KnownFacts>();
  readonly rows = new Map<SqlStatement, ValueType>();
  readonly results = new Map<Fulfillment, ValueType>();
  #count = 0;
  #operation: Operation | undefined;
  /** Names of several fulfillments: whose result is meant is unknown. */
  readonly #twice = new Set<string>();

  constructor(private readonly context: FlowContext) {}

  /** `outer` contains the names of surrounding fulfillments. Separate loops (not nested) can have the same name. */
  #collectTwice(fulfillments: readonly Fulfillment[], outer: ReadonlySet<string>): void {
    const seen = new Set(outer);
    for (const { name } of fulfillments) {
      if (seen.has(name.value)) this.#twice.add(name.value);
      seen.add(name.value);
    }
    for (const one of fulfillments) if (one.type === 'LOOP') this.#collectTwice(one.fulfillments, seen);
  }

  /** Returns the response type of the operation. */
  operation(operation: Operation): ValueType {
    const { limits, idempotency, exceptions, fulfillments, responses, mappings } = operation;
    this.#operation = operation;
    this.#collectTwice(fulfillments, new Set());
    const environment = Environment.of(this.context.request(operation), (name) =>
      this.context.functionResult(name),
    );
    for (const { by } of limits) for (const value of by) this.#value(value, { environment, known: [] });
    if (idempotency?.key !== undefined) this.#value(idempotency.key, { environment, known: [] });
    const begin = exceptions.reduce<KnownFacts>((state, exception) => this.#exception(exception, state), {
      environment,
      known: [],
    });
    const end = this.#fulfillments(fulfillments, begin);
    const responseTypes: ValueType[] = [];
    const responseType = (response: Response, at: KnownFacts): void => {
      const { schema, header, fileName, etag } = response;
      if (schema === undefined) this.mapped.set(response, at);
      for (const { value } of header) this.#template(value, at);
      this.#value(storedType(response), at);
      this.#value(fileName, at);
      if (etag !== true) this.#value(etag, at);
      const type = this.#schema(schema, at, this.#promised(response));
      // Without a schema the body may be built of mappings.
      responseTypes.push(schema === undefined && mappings.length > 0 ? unknownValue : (type ?? nullValue));
    };
    let state = end;
    for (const response of responses.filter(({ default: isDefault }) => !isDefault)) {
      if (response.if === undefined) continue;
      const { held, failed } = this.#condition(response.if, state, 'response');
      responseType(response, held);
      state = failed;
    }
    for (const response of responses.filter(({ default: isDefault }) => isDefault))
      responseType(response, state);
    for (const mapping of mappings) for (const { value } of mapping.fields) this.#value(value, end);
    for (const { fulfillment } of allFulfillments(fulfillments))
      if ('join' in fulfillment) for (const { value } of fulfillment.join) this.#evaluate(value, end);
    return allOf(responseTypes);
  }

  #fulfillments(fulfillments: readonly Fulfillment[], start: KnownFacts): KnownFacts {
    let state = start;
    for (const fulfillment of fulfillments) state = this.#fulfillment(fulfillment, state);
    return state;
  }

  #fulfillment(fulfillment: Fulfillment, before: KnownFacts): KnownFacts {
    const name = fulfillment.name.value;
    if (fulfillment.if === undefined) return this.#run(fulfillment, before);
    const { held, failed } = this.#condition(fulfillment.if, before, 'if');
    const after = this.#run(fulfillment, held);
    // After the fulfillment, either it was skipped or the facts from running it are true.
    const skipped = failed.known.slice(before.known.length).map(({ formula }) => formula);
    const ran = after.known.slice(held.known.length);
    const joined = ran.map((one): Known => {
      return { ...one, formula: { kind: 'or', of: [...skipped, one.formula] } };
    });
    const result = after.environment.result(name);
    return {
      environment: after.environment.with(name, { ...result, type: orNull(result.type) }),
      known: [...before.known, ...joined],
    };
  }

  /** Visits a fulfillment that is not skipped, including its exceptions. */
  #run(fulfillment: Fulfillment, before: KnownFacts): KnownFacts {
    const [violations, conditions] = byTrigger(fulfillment.exceptions);
    for (const exception of violations) this.#response(exception, before);
    let state = this.#action(fulfillment, before);
    for (const exception of conditions) state = this.#exception(exception, state);
    if (fulfillment.type === 'LOOP') return state;
    this.#value(fulfillment.index, state);
    // In a fulfillment with `if`, a `loopbreak` that is always true makes sense: it ends the loop in the first iteration that runs the
    // fulfillment.
    const mayAlwaysHold = fulfillment.if !== undefined;
    for (const condition of fulfillment.loopbreak)
      state = this.#condition(condition, state, 'loopbreak', mayAlwaysHold).failed;
    return state;
  }

  #action(fulfillment: Fulfillment, before: KnownFacts): KnownFacts {
    const name = fulfillment.name.value;
    const bind = (type: ValueType): KnownFacts => {
      this.results.set(fulfillment, fulfillment.if === undefined ? type : orNull(type));
      const result = this.#readable(name, this.#twice.has(name) ? unknownValue : type);
      return { ...before, environment: before.environment.with(name, result) };
    };
    switch (fulfillment.type) {
      case 'READ':
      case 'UPDATE':
        this.#value(fulfillment.order?.by, before);
        this.#value(fulfillment.page?.limit, before);
        this.#value(fulfillment.page?.after, before);
        this.#value(fulfillment.page?.number, before);
        this.#value(fulfillment.page?.offset, before);
        this.#value(fulfillment.filter?.from, before);
        return bind(this.#instructions(fulfillment, before));
      case 'REFERENCE':
        for (const { value } of fulfillment.parameters) this.#schema(value, before);
        return bind(this.#resultOf(fulfillment));
      case 'DEFERRED':
        for (const { value } of fulfillment.parameters) this.#schema(value, before);
        return bind(nullValue);
      case 'CODE':
        this.#schema(fulfillment.input, before);
        return bind(this.context.codeResult(fulfillment));
      case 'COMPUTE':
        return bind(
          withOrigin(this.#schema(fulfillment.schema, before) ?? unknownValue, {
            kind: 'computed',
            fulfillment: name,
          }),
        );
      case 'LOOP': {
        this.#value(fulfillment.loop, before);
        const type = fulfillment.loop && elementIn(fulfillment.loop, before.environment);
        const element = this.#readable(name, type ?? unknownValue);
        const environment = before.environment.with(name, element).withElement(element);
        let state = this.#fulfillments(fulfillment.fulfillments, { ...before, environment });
        for (const condition of fulfillment.loopbreak)
          state = this.#condition(condition, state, 'loopbreak').failed;
        // The loop may not have run, and loops do not have a result.
        return bind(nullValue);
      }
    }
  }

  #readable(name: string, type: ValueType): Readable {
    this.#count += 1;
    return { key: `${name}#${this.#count}`, type };
  }

  /** Null if the called operation failed and the fulfillment continues. */
  #resultOf({ operationName, continues }: ReferenceFulfillment): ValueType {
    const type = this.#responseTypeOf(operationName.value);
    return continues ? orNull(type) : type;
  }

  /** Missing fields of responses are reported for the operation, regardless of their source inside it. */
  #responseTypeOf(operation: string): ValueType {
    return withOrigin(this.context.responseType(operation), { kind: 'response', operation });
  }

  /** Returns the type of the result. */
  #instructions(fulfillment: DataFulfillment, before: KnownFacts): ValueType {
    const { instructions } = fulfillment;
    let state = before;
    let isAlways = false;
    const results: ValueType[] = [];
    for (const { if: condition, action, expressions } of instructions) {
      const chosen = condition === undefined ? undefined : this.#condition(condition, state, 'instruction');
      const held = chosen?.held ?? state;
      for (const expression of expressions) this.#value(expression, held);
      if (isMessage(action))
        for (const expression of expressionsOfMessage(action)) this.#value(expression, held);
      else if (action !== undefined && 'kind' in action) this.#request(action, held);
      if (action === undefined) results.push(unknownValue);
      else if (isMessage(action)) results.push(nullValue);
      else
        results.push(
          'kind' in action ? this.context.result(action, fulfillment) : this.#rows(action, fulfillment),
        );
      isAlways ||= condition === undefined;
      // After an instruction without `if`, all others are unreachable.
      if (chosen === undefined) break;
      state = chosen.failed;
    }
    if (instructions.some(({ action }) => !isStatement(action))) {
      const [only, ...others] = results;
      return only === undefined || others.length > 0 ? unknownValue : only;
    }
    const result = allOf(results);
    return isAlways ? result : orNull(result);
  }

  #rows(statement: SqlStatement, fulfillment: DataFulfillment): ValueType {
    const type = this.context.rows(statement, fulfillment);
    this.rows.set(statement, type);
    return type;
  }

  #request({ url, header, body, multipart, signature, key }: Request, state: KnownFacts): void {
    this.#template(url?.value, state);
    for (const { value } of header) this.#template(value, state);
    this.#schema(body, state);
    for (const { value } of multipart) this.#value(value, state);
    if (signature !== undefined) this.#value(signature.secret, state);
    this.#value(key, state);
  }

  #exception(exception: Exception, state: KnownFacts): KnownFacts {
    if (exception.if === undefined) return state;
    const { held, failed } = this.#condition(exception.if, state, 'exception');
    this.#response(exception, held);
    return failed;
  }

  /** Visits the response of an exception. */
  #response(exception: Exception, state: KnownFacts): void {
    const { message, header, schema } = exception;
    this.#template(message, state);
    for (const { value } of header) this.#template(value, state);
    this.#schema(schema, state, this.#promised(exception));
  }

  #promised(response: Response | Exception): Promised | undefined {
    return this.#operation && this.context.promised(this.#operation, response);
  }

  #template(template: Template | undefined, state: KnownFacts): void {
    for (const part of template ?? []) if (typeof part !== 'string') this.#value(part, state);
  }

  /** Returns the type of the body. */
  #schema(schema: Schema | undefined, state: KnownFacts, promised?: Promised): ValueType | undefined {
    if (schema === undefined) return undefined;
    const type = this.#buildIn(schema, state, promised);
    this.built.set(schema, type);
    return type;
  }

  #buildIn(schema: Schema, state: KnownFacts, promised: Promised | undefined): ValueType {
    switch (schema.kind) {
      case 'leaf': {
        this.#value(schema.value, state);
        const type = typeOfRead(schema.value, state);
        const digits = promised && digitsOf(this.#storedType(schema.value) ?? type, promised);
        if (digits !== undefined) this.digits.set(schema, digits);
        return sentType(type, digits);
      }
      case 'object': {
        const types = schema.fields.map(
          ({ key, value }) =>
            [key, this.#schema(value, state, promisedField(promised, key)) ?? unknownValue] as const,
        );
        return objectOf(fieldsOf(new Map(types), { kind: 'built' }, true));
      }
      case 'array': {
        this.#value(schema.list, state);
        const element = this.#readable('@', elementIn(schema.list, state.environment));
        const environment = state.environment.withElement(element);
        const inItem = { ...state, environment };
        return arrayOf(this.#schema(schema.item, inItem, promisedElement(promised)) ?? unknownValue);
      }
    }
  }

  /** The type of a value that was stored under an index; undefined for other values, and without a single fulfillment of that name. */
  #storedType(value: Expression): ValueType | undefined {
    if (value.kind !== 'value-by-index') return undefined;
    const stored = [...this.results].filter(([{ name }]) => name.value === value.name);
    const [[, type] = []] = stored;
    return type === undefined || stored.length > 1 ? undefined : orNull(typeAt(type, value.path));
  }

  /** An expression for a value: it is decided where it is a condition. */
  #value(expression: Expression | undefined, state: KnownFacts): void {
    if (expression === undefined) return;
    this.#evaluate(expression, state);
    this.conditions.decideValue(expression, state.environment);
  }

  /** Visits an expression and its comparisons without deciding anything. */
  #evaluate(expression: Expression, state: KnownFacts): void {
    this.evaluations.push({ expression, environment: state.environment, isCondition: false });
    this.conditions.settle(expression, state);
  }

  /** Decides a condition, and returns the facts if it is true and if it is false. */
  #condition(
    condition: Expression,
    state: KnownFacts,
    site: Site,
    mayAlwaysHold = false,
  ): { held: KnownFacts; failed: KnownFacts } {
    this.evaluations.push({ expression: condition, environment: state.environment, isCondition: true });
    this.conditions.settle(condition, state);
    this.conditions.decide(condition, state, site, mayAlwaysHold);
    return bothWays(state, condition, site);
  }
}
