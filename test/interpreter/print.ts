/** Random services as configurations and API descriptions: plain values, because JSON is valid YAML. */
import {
  needsBody,
  type Expr,
  type Fulfillment,
  type Operation,
  type Schema,
  type Service,
  type Step,
  type Template,
} from './language.js';
import { sqlOf } from './tables.js';

/** A single configuration with the operations of all services. */
export function configOf(services: readonly Service[], settings: object = {}): object {
  return {
    specification: '1.0',
    settings,
    operations: Object.fromEntries(
      services.flatMap((service) =>
        service.operations.map((operation) => [operation.name, printOperation(operation, service)]),
      ),
    ),
    datasources: {
      postgresql: { type: 'db', url: 'jdbc:postgresql://localhost/db' },
      mariadb: { type: 'db', url: 'jdbc:mariadb://localhost/db' },
    },
  };
}

/** Fields that are required, optional, nullable, or both optional and nullable. */
const typedBody = {
  type: 'object',
  required: ['n', 'maybe', 'who'],
  properties: {
    n: { type: 'integer' },
    maybe: { type: ['number', 'null'] },
    t: { type: 'string' },
    kind: { enum: ['a', 'b', 'c'] },
    flag: { type: 'boolean' },
    off: { type: ['boolean', 'null'] },
    list: { type: 'array' },
    map: { type: 'object' },
    tags: { type: 'array', items: { type: 'string' } },
    rows: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, name: { type: ['string', 'null'] } },
      },
    },
    who: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        home: { type: ['object', 'null'], required: ['town'], properties: { town: { type: 'string' } } },
      },
    },
  },
};

/** An API description with the endpoints of the operations. */
export function descriptionOf(services: readonly Service[]): object {
  const paths: Record<string, Record<string, object>> = {};
  const all = services.flatMap((service) => service.operations.map(({ name }) => ({ name, service })));
  for (const { name, service } of all) {
    const [, method, path] = /^(GET|POST) (\/.*)$/.exec(name) ?? [];
    if (method === undefined || path === undefined) continue;
    const content = { 'application/json': { schema: service.isTyped ? typedBody : {} } };
    const isRequired = needsBody(service) ? { required: true } : {};
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'x', in: 'query', schema: { type: 'integer' } },
          { name: 'y', in: 'query', schema: { type: 'string' } },
        ],
        ...(method === 'POST' ? { requestBody: { content, ...isRequired } } : {}),
        responses: { 200: { description: 'ok' } },
      },
    };
  }
  return { openapi: '3.1.0', info: { title: 'random', version: '1' }, paths };
}

function printOperation(operation: Operation, service: Service): object {
  const { syntax, responses, transaction, fulfillments } = operation;
  const print = (expr: Expr): string => printExpr(expr, syntax);
  return {
    fulfillments: fulfillments.map((one) => printFulfillment(one, operation, service)),
    responses: responses.map(({ name, if: condition, status, schema }, at) => ({
      name,
      default: at === responses.length - 1,
      ...(condition === undefined ? {} : { if: print(condition) }),
      statuscode: status,
      ...(schema === undefined ? {} : { schema: printSchema(schema, syntax) }),
    })),
    ...(transaction ? { transaction: true } : {}),
  };
}

function printFulfillment(fulfillment: Fulfillment, operation: Operation, service: Service): object {
  const { syntax } = operation;
  const print = (expr: Expr): string => printExpr(expr, syntax);
  const { name, type, if: condition, exceptions, loopbreak, index } = fulfillment;
  return {
    name,
    type,
    ...(condition === undefined ? {} : { if: print(condition) }),
    ...action(fulfillment, operation, service),
    ...(exceptions.length === 0
      ? {}
      : {
          exceptions: exceptions.map((one) => ({
            if: print(one.if),
            statuscode: one.status,
            message: printTemplate(one.message, syntax),
          })),
        }),
    ...(loopbreak.length === 0 ? {} : { loopbreak: loopbreak.map(print) }),
    ...(index === undefined ? {} : { index: print(index) }),
  };
}

function action(fulfillment: Fulfillment, operation: Operation, service: Service): object {
  const { syntax } = operation;
  const print = (expr: Expr): string => printExpr(expr, syntax);
  switch (fulfillment.type) {
    case 'READ':
    case 'UPDATE':
      return {
        datasource: service.database,
        [syntax === 'A' ? 'instructions' : 'queries']: fulfillment.choices.map(
          ({ if: condition, statement }) => ({
            ...(condition === undefined ? {} : { if: print(condition) }),
            query: sqlOf(
              statement,
              service,
              statement.value === undefined ? '' : `:[${print(statement.value)}]`,
            ),
          }),
        ),
      };
    case 'LOOP':
      return {
        loop: print(fulfillment.loop),
        fulfillments: fulfillment.fulfillments.map((one) => printFulfillment(one, operation, service)),
      };
    case 'reference':
      return {
        operationName: fulfillment.operation,
        parameters: Object.fromEntries(
          fulfillment.parameters.map(([name, schema]) => [name, printSchema(schema, syntax)]),
        ),
      };
  }
}

function printTemplate(template: Template, syntax: 'A' | 'B'): string {
  return template.map((part) => (typeof part === 'string' ? part : `:[${printExpr(part, syntax)}]`)).join('');
}

function printSchema(schema: Schema, syntax: 'A' | 'B'): unknown {
  switch (schema.is) {
    case 'leaf':
      return printExpr(schema.value, syntax);
    case 'object':
      return Object.fromEntries(schema.fields.map(([name, field]) => [name, printSchema(field, syntax)]));
    case 'list':
      return { list: printExpr(schema.list, syntax), item: printSchema(schema.item, syntax) };
  }
}

/** An expression in one of the syntaxes. */
export function printExpr(expr: Expr, syntax: 'A' | 'B'): string {
  const print = (one: Expr): string => printExpr(one, syntax);
  const operand = (one: Expr): string =>
    ['compare', 'and', 'or', 'not'].includes(one.is) ? `(${print(one)})` : print(one);
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

type Operand = Exclude<Expr, { is: 'compare' | 'and' | 'or' | 'not' }>;

function printA(expr: Operand): string {
  switch (expr.is) {
    case 'constant':
      if (typeof expr.value === 'string') return `TEXT(${JSON.stringify(expr.value)})`;
      if (typeof expr.value === 'boolean') return `BOOLEAN(${String(expr.value)})`;
      if (expr.value === null) return 'NULL()';
      return Number.isInteger(expr.value) ? `INTEGER(${expr.value})` : `DECIMAL(${expr.value})`;
    case 'param':
      return `PARAM(${expr.name})`;
    case 'body':
      return expr.path.length === 0 ? 'BODY()' : `BODY($${steps(expr.path)})`;
    case 'value':
      return `VALUE(${expr.name}, $${steps(expr.path)})`;
    case 'element':
      return `VALUE(@, $${steps(expr.path)})`;
    case 'stored':
      return `VALUE_BY_INDEX(${expr.name}, ${printExpr(expr.index, 'A')}, $${steps(expr.path)})`;
    case 'list':
      return `LIST(${printExpr(expr.count, 'A')})`;
    case 'size':
      return `SIZE(${printExpr(expr.of, 'A')})`;
    case 'concat':
    case 'coalesce':
      return `${expr.is.toUpperCase()}(${expr.parts.map((part) => printExpr(part, 'A')).join(', ')})`;
    case 'length':
    case 'lower':
    case 'sha256':
      return `${expr.is.toUpperCase()}(${printExpr(expr.of, 'A')})`;
    case 'if-match':
      return `IF_MATCH(${printExpr(expr.of, 'A')})`;
    case 'written':
      return expr.text;
  }
}

function printB(expr: Operand): string {
  switch (expr.is) {
    case 'constant':
      return typeof expr.value === 'string' ? `'${expr.value}'` : String(expr.value);
    case 'param':
      return `param.${expr.name}`;
    case 'body':
      return `body${steps(expr.path)}`;
    case 'value':
      return `${expr.name}${steps(expr.path)}`;
    case 'element':
      return `@${steps(expr.path)}`;
    case 'size':
      return `${printExpr(expr.of, 'B')}.size()`;
    case 'concat':
    case 'coalesce':
      return `${expr.is}(${expr.parts.map((part) => printExpr(part, 'B')).join(', ')})`;
    case 'length':
    case 'lower':
    case 'sha256':
      return `${expr.is}(${printExpr(expr.of, 'B')})`;
    case 'if-match':
      return `if_match(${printExpr(expr.of, 'B')})`;
    case 'written':
      return expr.text;
    case 'stored':
    case 'list':
      throw new Error(`${expr.is} is not in Syntax B`);
  }
}

function steps(path: readonly Step[]): string {
  return path.map((step) => (typeof step === 'number' || step === '*' ? `[${step}]` : `.${step}`)).join('');
}
