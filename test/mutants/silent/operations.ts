/** Errors in operations, requests, datasources and authentications as a whole. */
import {
  allFulfillments,
  copyOf,
  instructionsOf,
  isEndpoint,
  operationsOf,
  type Config,
} from './configuration.js';
import { fulfillmentsOf, isOfDatabase, isRead, isUpdate, type Edit, type ErrorClass } from './edit.js';
import { orders, stock } from './own.js';

/** Adds a copy of each endpoint with a different response under another name. */
function besides(config: Config, name: (name: string) => string): Edit[] {
  return operationsOf(config)
    .filter((one) => isEndpoint(one.name) && name(one.name) !== one.name)
    .map((one) => () => {
      const other = copyOf(one.operation);
      for (const response of other.responses ?? []) response.statuscode = 203;
      config.operations[name(one.name)] = other;
    });
}

/** Replaces the methods of requests: fulfillments of the type whose method matches. */
function withMethod(config: Config, isOf: typeof isRead, from: RegExp, methods: readonly string[]): Edit[] {
  return fulfillmentsOf(config, ({ fulfillment }) => isOf(fulfillment)).flatMap(({ fulfillment }) => {
    const requests = instructionsOf(fulfillment).flatMap(({ request }) => request ?? []);
    if (requests.length === 0 || !requests.every(({ httpType }) => from.test(httpType))) return [];
    return methods.map((method) => () => {
      for (const request of requests) {
        request.httpType = method;
        if (method === 'GET') {
          Reflect.deleteProperty(request, 'body');
          Reflect.deleteProperty(request, 'multipart');
        }
      }
    });
  });
}

/** Renames an endpoint. */
function renamed(config: Config, change: (name: string) => string): Edit[] {
  return Object.keys(config.operations)
    .filter((name) => isEndpoint(name) && change(name) !== name)
    .map((name) => () => {
      config.operations = Object.fromEntries(
        Object.entries(config.operations).map(([key, value]) => [key === name ? change(name) : key, value]),
      );
    });
}

export const operationClasses: readonly ErrorClass[] = [
  {
    name: 'READ with PUT or DELETE',
    edits: (config) => withMethod(config, isRead, /^GET$/i, ['PUT', 'DELETE']),
  },
  {
    name: 'UPDATE with GET',
    own: stock,
    edits: (config) => withMethod(config, isUpdate, /^(?:PUT|POST|PATCH|DELETE)$/i, ['GET']),
  },
  {
    name: 'unused datasource',
    edits: (config) => [
      () => {
        config.datasources = {
          ...config.datasources,
          nobodysDatabase: { type: 'db', url: 'jdbc:postgresql://localhost:5432/other' },
        };
      },
    ],
  },
  {
    name: 'operation that nothing starts or calls',
    edits: (config) => [
      ...operationsOf(config)
        .filter(({ operation }) => operation.responses !== undefined && operation.triggers === undefined)
        .map(({ operation }) => () => {
          config.operations['nobody calls it'] = copyOf(operation);
        }),
    ],
  },
  {
    name: 'name that looks like an endpoint and is none: GET|POST /x',
    edits: (config) => [
      ...renamed(config, (name) => name.replace(/^GET /i, 'GET|POST ')),
      ...renamed(config, (name) => name.replace(/^GET /i, 'HTTP GET ')),
      ...renamed(config, (name) => name.replace(/^GET /i, 'GET_')),
      ...renamed(config, (name) => name.replace(/^GET /i, 'GЕT ')),
      ...renamed(config, (name) => name.replace(/^POST \/(?=.*[/{])/i, 'post ')),
    ],
  },
  {
    name: 'timed operation reads PARAM',
    own: stock,
    edits: (config) =>
      fulfillmentsOf(config, ({ operation }) => operation.triggers !== undefined).flatMap(({ fulfillment }) =>
        instructionsOf(fulfillment).map((instruction) => () => {
          instruction.query = (instruction.query ?? '').replace('7', ':[PARAM(shelf)]');
        }),
      ),
  },
  { name: 'two endpoints: /a and /a/', edits: (config) => besides(config, (name) => `${name}/`) },
  {
    name: 'two endpoints: /News and /news',
    edits: (config) =>
      besides(config, (name) => name.replace(/\/([a-z])/, (_, first: string) => `/${first.toUpperCase()}`)),
  },
  {
    name: 'transaction: true around one READ',
    edits: (config) =>
      operationsOf(config)
        .filter(({ operation: { fulfillments, transaction } }) => {
          const [first] = fulfillments;
          const isAlone = fulfillments.length === 1 && first !== undefined;
          return isAlone && transaction !== true && isRead(first) && isOfDatabase(config, first);
        })
        .map(({ operation }) => () => {
          operation.transaction = true;
        }),
  },
  {
    name: 'transaction: true around REST alone',
    edits: (config) =>
      operationsOf(config)
        .filter(({ operation }) =>
          allFulfillments(operation.fulfillments).every(
            // A request delivered after the commit is a row in the outbox.
            (one) =>
              (isRead(one) || isUpdate(one)) &&
              !isOfDatabase(config, one) &&
              !JSON.stringify(one).includes('"deliver":'),
          ),
        )
        .map(({ operation }) => () => {
          operation.transaction = true;
        }),
  },
  {
    name: 'GET that writes',
    edits: (config) =>
      renamed(config, (name) =>
        onlyWrites(config, name) && config.operations[name.replace(/^\w+ /, 'GET ')] === undefined
          ? name.replace(/^(?:POST|PUT|PATCH|DELETE) /i, 'GET ')
          : name,
      ),
  },
  {
    name: 'status that the description does not have',
    own: orders,
    edits: (config) => [
      ...operationsOf(config).flatMap(({ operation: { responses = [] } }) =>
        responses.map((response) => () => {
          response.statuscode = 202;
        }),
      ),
      ...fulfillmentsOf(config, () => true).flatMap(({ fulfillment: { exceptions = [] } }) =>
        exceptions.map((exception) => () => {
          exception.statuscode = 409;
        }),
      ),
    ],
  },
  {
    name: 'field of a response that the description does not have',
    own: orders,
    edits: (config) =>
      operationsOf(config).flatMap(({ operation: { responses = [] } }) =>
        responses.map((response) => () => {
          response.schema = { ...(response.schema as object), titel: 'TEXT(a)' };
        }),
      ),
  },
  {
    name: 'required field of a response missing',
    own: orders,
    edits: (config) =>
      operationsOf(config).flatMap(({ operation: { responses = [] } }) =>
        responses.map((response) => () => {
          Reflect.deleteProperty(response.schema as object, 'title');
        }),
      ),
  },
  {
    name: 'value that the enum does not have',
    own: orders,
    edits: (config) =>
      fulfillmentsOf(config, () => true).flatMap(({ fulfillment }) =>
        instructionsOf(fulfillment)
          .filter((instruction) => instruction.if !== undefined)
          .map((instruction) => () => {
            instruction.if = instruction.if?.replace(/TEXT\((\w)(\w)/, 'TEXT($2$1') ?? '';
          }),
      ),
  },
  {
    name: 'two triggers with one cron',
    own: stock,
    edits: (config) =>
      operationsOf(config).flatMap(({ operation: { triggers = [] } }) =>
        triggers.slice(1).map((trigger) => () => {
          trigger.cron = triggers[0]?.cron ?? '';
        }),
      ),
  },
  {
    name: 'two accounts of one user and password',
    own: stock,
    edits: (config) => [
      () => {
        const { reader, writer } = config.authentications ?? {};
        if (reader && writer) Object.assign(writer, reader);
      },
    ],
  },
  {
    name: 'database URL without a database',
    edits: (config) =>
      Object.values(config.datasources ?? {}).flatMap((datasource) =>
        /^jdbc:\w+:\/\/[^/]+\/\w+$/.test(datasource.url)
          ? [
              () => {
                datasource.url = datasource.url.replace(/\w+$/, '');
              },
            ]
          : [],
      ),
  },
];

/** Whether every fulfillment of the operation is a database UPDATE. */
function onlyWrites(config: Config, name: string): boolean {
  const { fulfillments = [] } = config.operations[name] ?? {};
  return allFulfillments(fulfillments).every((one) => isUpdate(one) && isOfDatabase(config, one));
}
