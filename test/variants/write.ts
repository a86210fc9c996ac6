/** Writes an operation as one of its variants: operations of a configuration, and their part of an API description. */
import {
  mapExpr,
  type Exception,
  type Expr,
  type Notation,
  type Operation,
  type Path,
  type Response,
  type Schema,
  type Step,
  type Template,
} from './operation.js';
import { asCalls, withLoops } from './rewrite.js';
import { changes, childrenSql, orders, pageSql, reads } from './statements.js';

/** Thrown for features that exist only in Syntax A. */
class OnlyInA extends Error {}

/** The operations of a variant by name; the first one has the endpoint. */
export interface Written {
  readonly operations: ReadonlyMap<string, object>;
  /** The responses and models of an API description for bodies built by mappings. */
  readonly described: object | undefined;
  readonly models: Readonly<Record<string, object>>;
}

/** `number` identifies the variant: its path, and its rows in the tables. */
export function write(operation: Operation, notation: Notation, number: number): Written {
  const writer = new Writer(notation, number);
  const name = `${operation.method} /v${number}/{id}`;
  writer.operation(name, notation.steps === 'reference' ? asCalls(withLoops(operation)) : operation);
  return {
    // The main operation was written last.
    operations: new Map([...writer.operations].reverse()),
    ...writer.description(),
  };
}

class Writer {
  readonly operations = new Map<string, object>();
  #mapped: string | undefined;

  constructor(
    private readonly notation: Notation,
    private readonly number: number,
  ) {}

  /** Uses Syntax B if it can express the operation. */
  operation(name: string, operation: Operation): void {
    if (this.notation.syntax === 'A') {
      this.operations.set(name, this.#operation(withLoops(operation), 'A'));
      return;
    }
    const before = [...this.operations.keys()];
    try {
      this.operations.set(name, this.#operation(operation, 'B'));
    } catch (error) {
      if (!(error instanceof OnlyInA)) throw error;
      for (const other of this.operations.keys()) if (!before.includes(other)) this.operations.delete(other);
      this.#mapped = undefined;
      this.operations.set(name, this.#operation(withLoops(operation), 'A'));
    }
  }

  description(): Pick<Written, 'described' | 'models'> {
    if (this.#mapped === undefined) return { described: undefined, models: {} };
    const [parent, child] = [`Item${this.number}`, `Part${this.number}`];
    const ref = (model: string): object => ({ $ref: `#/components/schemas/${model}` });
    const nullable = (type: string): object => ({ type: [type, 'null'] });
    return {
      described: { type: 'array', items: ref(parent) },
      models: {
        [parent]: {
          type: 'object',
          properties: {
            ...{ id: { type: 'integer' }, name: { type: 'string' }, note: nullable('string') },
            ...{ count: { type: 'integer' }, parts: { type: 'array', items: ref(child) } },
          },
        },
        [child]: { type: 'object', properties: { title: nullable('string'), weight: nullable('integer') } },
      },
    };
  }

  #operation(operation: Operation, syntax: 'A' | 'B'): object {
    const nested = operation.responses.find(({ schema }) => schema?.is === 'nested')?.schema;
    const { transaction, exceptions, steps, responses } = operation;
    return {
      ...(transaction === true ? { transaction } : {}),
      ...(syntax === 'A' ? this.#together(steps) : {}),
      ...this.#exceptions(exceptions, syntax),
      ...(steps.length === 0 ? {} : { fulfillments: steps.map((step) => this.#step(step, syntax)) }),
      ...(syntax === 'B' && nested?.is === 'nested' ? { mappings: this.#mappings(nested) } : {}),
      responses: responses.map((one, at) => this.#response(one, at, at === responses.length - 1, syntax)),
    };
  }

  /** `true` is an error if it sends nothing at the same time, and `effects` would. */
  #together(steps: readonly Step[]): object {
    const requests = steps.filter((step) => step.does === 'request');
    if (this.notation.requests === 'inTurn' || requests.length < 2) return {};
    return { together: requests.every(({ method }) => method === 'GET') || 'effects' };
  }

  #mappings({ parents, children }: Extract<Schema, { is: 'nested' }>): object {
    this.#mapped = parents;
    const field = (name: string): string => `${parents}.${name}`;
    return {
      [`Item${this.number}`]: {
        id: field('id'),
        name: field('name'),
        note: field('note'),
        count: `${children}.size()`,
      },
      [`Part${this.number}`]: { title: `${children}.title`, weight: `${children}.weight` },
    };
  }

  #response(response: Response, at: number, isDefault: boolean, syntax: 'A' | 'B'): object {
    const { if: condition, status, schema, header, contentType, etag } = response;
    return {
      ...{ name: `r${at}`, default: isDefault, statuscode: status },
      ...this.#if(condition, syntax),
      ...this.#header(header, syntax),
      ...(contentType === undefined ? {} : { contentType }),
      ...(etag === undefined ? {} : { etag }),
      ...(schema === undefined || (schema.is === 'nested' && syntax === 'B')
        ? {}
        : { schema: this.#schema(schema, syntax) }),
    };
  }

  #exceptions(exceptions: readonly Exception[], syntax: 'A' | 'B'): object {
    if (exceptions.length === 0) return {};
    return {
      exceptions: exceptions.map(({ if: condition, status, message, code, schema, header }) => ({
        ...{ ...this.#if(condition, syntax), statuscode: status, message: this.#template(message, syntax) },
        ...(code === undefined ? {} : { code }),
        ...this.#header(header, syntax),
        ...(schema === undefined ? {} : { schema: this.#schema(schema, syntax) }),
      })),
    };
  }

  #step(step: Step, syntax: 'A' | 'B'): object {
    const { name, if: condition, exceptions, loopbreak, index } = step;
    if (syntax === 'B' && (loopbreak ?? index) !== undefined) throw new OnlyInA();
    return {
      name,
      ...this.#if(condition, syntax),
      ...this.#action(step, syntax),
      ...this.#exceptions(exceptions, syntax),
      ...(loopbreak === undefined ? {} : { loopbreak: loopbreak.map((one) => this.#print(one, syntax)) }),
      ...(index === undefined ? {} : { index: this.#print(index, syntax) }),
    };
  }

  #action(step: Step, syntax: 'A' | 'B'): object {
    const { database, loops } = this.notation;
    const list = syntax === 'A' ? 'instructions' : 'queries';
    switch (step.does) {
      case 'read':
      case 'change': {
        const kinds = step.does === 'read' ? reads : changes;
        const statements = step.choices.map(({ if: condition, statement: { does, values } }) => ({
          ...this.#if(condition, syntax),
          ...this.#statement(kinds[does]?.sql(this.number, database) ?? '', values, syntax),
        }));
        return { type: step.does === 'read' ? 'READ' : 'UPDATE', datasource: database, [list]: statements };
      }
      case 'page': {
        const query = (name: string): string => this.#print({ is: 'query', name }, syntax);
        const allow = Object.fromEntries(
          Object.entries(orders).map(([name, order]) => [name, order[database]]),
        );
        return {
          ...{
            type: 'READ',
            datasource: database,
            [list]: [this.#statement(pageSql(this.number, database), [], syntax)],
          },
          order: { by: query('sort'), allow, default: 'newest', key: 'id' },
          page: { max: step.max, after: query('after') },
        };
      }
      case 'children': {
        if (syntax === 'A') throw new Error('a step of joins in Syntax A');
        return {
          ...{ type: 'READ', datasource: database, join: `${step.of}.id == ${step.name}.item_id` },
          queries: [{ query: childrenSql(this.number, '') }],
        };
      }
      case 'request': {
        if (syntax === 'B') throw new OnlyInA();
        const { method, url, header, body, onFailure, retry } = step;
        const request = {
          ...{ url: `/v${this.number}${this.#template(url, syntax)}`, httpType: method },
          ...this.#header(header === undefined ? undefined : [header], syntax),
          ...(body === undefined
            ? {}
            : { body: { contentType: 'json', schema: this.#schema(body, syntax) } }),
          ...(retry === undefined ? {} : { retry: { times: 2, wait: 0.01 } }),
        };
        return {
          ...{ type: method === 'GET' ? 'READ' : 'UPDATE', datasource: 'party', instructions: [{ request }] },
          ...(onFailure === undefined ? {} : { onFailure: 'continue' }),
        };
      }
      case 'loop': {
        if (syntax === 'B') throw new OnlyInA();
        return {
          ...{ type: 'LOOP', loop: this.#print(step.list, syntax) },
          ...(step.isParallel === true && loops === 'concurrent' ? { concurrency: 3 } : {}),
          ...this.#together(step.steps),
          fulfillments: step.steps.map((one) => this.#step(one, syntax)),
        };
      }
      case 'call': {
        if (syntax === 'B') throw new OnlyInA();
        const { operation, parameters, onFailure } = step;
        const operationName = `v${this.number} ${step.name}`;
        this.operation(operationName, operation);
        return {
          ...{ type: 'reference', operationName },
          parameters: Object.fromEntries(
            parameters.map(([name, schema]) => [name, this.#schema(schema, syntax)]),
          ),
          ...(onFailure === undefined ? {} : { onFailure: 'continue' }),
        };
      }
    }
  }

  /** `sql` has its values in a list; `query` has them in the statement. */
  #statement(sql: string, values: readonly Expr[], syntax: 'A' | 'B'): object {
    const printed = values.map((value) => this.#print(value, syntax));
    if (syntax === 'A' && this.notation.form === 'sql')
      return {
        sql: {
          query: sql,
          ...(printed.length === 0 ? {} : { parameters: printed.map((param) => ({ param })) }),
        },
      };
    let at = 0;
    return { query: sql.replaceAll('?', () => `:[${printed[at++] ?? ''}]`) };
  }

  #if(condition: Expr | undefined, syntax: 'A' | 'B'): object {
    return condition === undefined ? {} : { if: this.#print(condition, syntax) };
  }

  #header(lines: readonly Template[] | undefined, syntax: 'A' | 'B'): object {
    return lines === undefined ? {} : { header: lines.map((line) => this.#template(line, syntax)) };
  }

  #template(template: Template, syntax: 'A' | 'B'): string {
    return template
      .map((part) => (typeof part === 'string' ? part : `:[${this.#print(part, syntax)}]`))
      .join('');
  }

  #schema(schema: Schema, syntax: 'A' | 'B'): unknown {
    switch (schema.is) {
      case 'leaf':
        return this.#print(schema.value, syntax);
      case 'object':
        return Object.fromEntries(schema.fields.map(([name, field]) => [name, this.#schema(field, syntax)]));
      case 'list':
        return { list: this.#print(schema.list, syntax), item: this.#schema(schema.item, syntax) };
      case 'nested':
        throw new Error('a nested list in Syntax A');
    }
  }

  #print(expr: Expr, syntax: 'A' | 'B'): string {
    const plain = mapExpr(expr, (part) =>
      part.is === 'changed' ? changedRows(part.name, this.notation) : undefined,
    );
    return printExpr(plain, syntax);
  }
}

/** PostgreSQL returns the changed rows, MariaDB their number. */
function changedRows(name: string, { database }: Notation): Expr {
  if (database === 'postgresql') return { is: 'size', of: { is: 'value', name, path: [] } };
  const found: Expr = { is: 'value', name, path: ['affected_rows'] };
  return { is: 'coalesce', parts: [found, { is: 'constant', value: 0 }] };
}

function printExpr(expr: Expr, syntax: 'A' | 'B'): string {
  const print = (one: Expr): string => printExpr(one, syntax);
  const operand = (one: Expr): string =>
    ['compare', 'and', 'or', 'not', 'empty'].includes(one.is) ? `(${print(one)})` : print(one);
  switch (expr.is) {
    case 'compare':
      return `${operand(expr.left)} ${expr.operator} ${operand(expr.right)}`;
    case 'and':
      return `${operand(expr.left)} && ${operand(expr.right)}`;
    case 'or':
      return `${operand(expr.left)} || ${operand(expr.right)}`;
    case 'not':
      return `!(${print(expr.of)})`;
    default:
      return syntax === 'A' ? printA(expr) : printB(expr);
  }
}

type Operand = Exclude<Expr, { is: 'compare' | 'and' | 'or' | 'not' | 'changed' }>;

const functions = { status: 'STATUS', failure: 'FAILURE', next: 'NEXT' } as const;

function printA(expr: Expr): string {
  const print = (one: Expr): string => printExpr(one, 'A');
  const one = expr as Operand;
  switch (one.is) {
    case 'constant':
      if (typeof one.value === 'string') return `TEXT(${JSON.stringify(one.value)})`;
      if (typeof one.value === 'boolean') return `BOOLEAN(${String(one.value)})`;
      if (one.value === null) return 'NULL()';
      return `${Number.isInteger(one.value) ? 'INTEGER' : 'DECIMAL'}(${one.value})`;
    case 'param':
    case 'query':
    case 'header':
      return `${one.is.toUpperCase()}(${one.name})`;
    case 'body':
      return `BODY($${steps(one.path)})`;
    case 'value':
      return `VALUE(${one.name}, $${steps(one.path)})`;
    case 'element':
      return `VALUE(@, $${steps(one.path)})`;
    case 'stored':
      return `VALUE_BY_INDEX(${one.name}, ${print(one.index)}, $${steps(one.path)})`;
    case 'list':
      return `LIST(${one.count.is === 'constant' ? String(one.count.value) : print(one.count)})`;
    case 'size':
      return `SIZE(${print(one.of)})`;
    case 'empty':
      return `SIZE(VALUE(${one.name}, $)) == INTEGER(0)`;
    case 'status':
    case 'failure':
    case 'next':
      return `${functions[one.is]}(${one.name})`;
    case 'kind':
      return `RESPONSE_HEADER(${one.name}, x-kind)`;
    case 'error':
      return `ERROR($.${one.field})`;
    case 'concat':
    case 'coalesce':
      return `${one.is.toUpperCase()}(${one.parts.map(print).join(', ')})`;
  }
}

function printB(expr: Expr): string {
  const print = (one: Expr): string => printExpr(one, 'B');
  const one = expr as Operand;
  switch (one.is) {
    case 'constant':
      if (typeof one.value !== 'string') return String(one.value);
      return /['\\]/.test(one.value) ? JSON.stringify(one.value) : `'${one.value}'`;
    case 'param':
    case 'query':
    case 'header':
      return `${one.is}.${one.name}`;
    case 'body':
      return `body${steps(one.path)}`;
    case 'value':
      return `${one.name}${steps(one.path)}`;
    case 'element':
      return `@${steps(one.path)}`;
    case 'size':
      return `${print(one.of)}.size()`;
    case 'empty':
      return `${one.name} == null`;
    case 'next':
      return `${one.name}.next()`;
    case 'error':
      return `error.${one.field}`;
    case 'concat':
    case 'coalesce':
      return `${one.is}(${one.parts.map(print).join(', ')})`;
    case 'stored':
    case 'list':
    case 'status':
    case 'failure':
    case 'kind':
      throw new OnlyInA();
  }
}

function steps(path: Path): string {
  return path.map((step) => (typeof step === 'number' || step === '*' ? `[${step}]` : `.${step}`)).join('');
}
