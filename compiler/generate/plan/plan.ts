/** The plan of a service. All decisions about its operations are made here; emitters only write them down. */
import type { AnalyzedOperation } from '../../analyze/operations/analyzed-operation.js';
import type { CheckedService, CheckedDatasource, CheckedFulfillment } from '../../analyze/check/checked.js';
import type {
  Authentication,
  DatabaseDatasource,
  Datasource,
  ErrorForm,
  Errors,
  Limit,
  Operation,
  ResponseForm,
  Retry,
  SignatureScheme,
} from '../../read/config/config-model.js';
import { calledNames } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { hasContext } from '../../analyze/operations/statements/row-context.js';
import { isPlainText } from '../../read/openapi/media-type.js';
import type { Dialect } from '../../read/sql/dialect.js';
import {
  accessTo,
  knownPagesOf,
  planAuthentication,
  type AccessPlan,
  type AuthenticationPlan,
} from './access.js';
import { planApi, type ApiPlan } from './api-plan.js';
import { planFunction, type FunctionPlan } from './functions.js';
import { withCredentials } from './credentials.js';
import { planIdempotency, type IdempotencyPlan } from './idempotency.js';
import { planServiceLimits, type LimitStores, type ServiceLimitsPlan } from './limits.js';
import { planEnvironment, type EnvironmentPlan } from './environment.js';
import {
  camelCase,
  fileSlug,
  uniqueNames,
  upperFirst,
  type DatasourceIdentifier,
} from './names/identifiers.js';
import {
  operationsWithOtherEffects,
  operationsReadingBody,
  fileListsOf,
  operationsReadingFiles,
  operationsReceivingFiles,
} from './requests/request-needs.js';
import { planTimers, type TimersPlan } from './kubernetes/kubernetes-timers.js';
import { PlansCache } from './plans-cache.js';
import { known, ServiceNames } from './names/service-names.js';
import type { Source, WithSpan } from '../../read/source.js';
import { acceptedTypes } from '../../analyze/operations/requests/accepted-types.js';
import type { CalledOperation, OperationPlan } from './operation-plan.js';
import { runtimeNames } from './names/runtime-symbols.js';
import { wordSet } from '../../read/wordset.js';

export interface ServicePlan {
  /** The configuration's file name without folders, for the header of generated files. */
  readonly configName: string;
  /** The version of the API description; undefined if there is no description. */
  readonly version: string | undefined;
  /** Operations in configuration order. */
  readonly operations: readonly OperationPlan[];
  readonly datasources: readonly DatasourcePlan[];
  readonly authentications: readonly AuthenticationPlan[];
  /** The user functions that expressions call. */
  readonly functions: readonly FunctionPlan[];
  /** Access control by operation name; empty if no authentication is configured. */
  readonly access: ReadonlyMap<string, AccessPlan>;
  /** Open operations that only pages of known origins may call, by operation name, with the cookies that they read. */
  readonly knownPages: ReadonlyMap<string, readonly string[]>;
  readonly limits: ServiceLimitsPlan;
  /** By the name of the operation; only operations with an idempotency key. */
  readonly idempotency: ReadonlyMap<string, IdempotencyPlan>;
  readonly environment: EnvironmentPlan;
  /** Validation of requests; undefined without an API description. */
  readonly api: ApiPlan | undefined;
  /** Whether the service has the test page and traces its operations. */
  readonly debug: boolean;
  /** Whether the API description is published without a test page. */
  readonly apiDocs: boolean;
  /** Prefix of every operation's path. */
  readonly basePath: string;
  /** The format of error bodies. */
  readonly errors: Exclude<Errors, readonly unknown[]> | readonly ErrorFormPlan[];
  /** The operations that are called after a commit. */
  readonly deferred: readonly OperationPlan[];
  /** How timed operations are triggered on Kubernetes. */
  readonly timers: TimersPlan;
}

/** A form of error bodies. */
export interface ErrorFormPlan {
  /** The statuses of these errors; undefined for all others. */
  readonly statuses: ErrorForm['statuses'];
  /** The value of `Content-Type`. */
  readonly type: string;
  readonly schema: ErrorForm['schema'];
}

/** A database, a third-party API or a mail server. */
export type DatasourcePlan = DatabasePlan | RestPlan | SmtpPlan;

interface DatasourceBase {
  readonly name: string;
  readonly identifier: DatasourceIdentifier;
  /** Max seconds per statement or call; undefined for the service's default. */
  readonly timeout: number | undefined;
}

export interface DatabasePlan extends DatasourceBase {
  readonly type: 'db';
  readonly dialect: Dialect;
  readonly pool: DatabaseDatasource['pool'];
  /** Settings that are set before statements, by name. */
  readonly context: readonly { readonly name: string; readonly value: Expression }[];
  readonly role: string | undefined;
  /** Whether calls after a commit are stored in it. */
  readonly storesCalls: boolean;
}

export interface RestPlan extends DatasourceBase {
  readonly type: 'rest';
  /** Whether the configuration contains the URL; the environment may provide a URL in any case. */
  readonly hasUrl: boolean;
  /** Names of the headers sent with every request. */
  readonly header: readonly string[];
  readonly response: ResponseForm | undefined;
  readonly retry: Retry | undefined;
  readonly oauth2: OAuth2Plan | undefined;
  /** The scheme used to sign requests. */
  readonly signature: SignatureScheme | undefined;
  readonly limit: Limit | undefined;
  /** The database that stores the datasource's requests, if any, and the role for its statements. */
  readonly outbox: OutboxPlan | undefined;
}

export interface SmtpPlan extends DatasourceBase {
  readonly type: 'smtp';
  readonly outbox: OutboxPlan | undefined;
}

export interface OutboxPlan {
  readonly database: DatasourceIdentifier;
  readonly role: string | undefined;
}

/** How a datasource gets its tokens; the values themselves are settings. */
export interface OAuth2Plan {
  readonly hasScope: boolean;
  readonly parameters: readonly string[];
  readonly clientAuth: 'basic' | 'body' | undefined;
}

/** The plan of a configuration without errors. `kept` caches earlier plans and only affects speed. */
export function plan(checked: CheckedService, kept = new PlansCache()): ServicePlan {
  const { analysis } = checked;
  const { config, declared } = analysis;
  const outboxes = new Set(checked.operations.flatMap(({ fulfillments }) => outboxesOf(fulfillments)));
  const datasources = planDatasources(checked.datasources, outboxes);
  const planned = new Map(config.datasources.map((written, index) => [written, datasources[index]]));
  const operations = nameOperations(
    config.operations,
    datasources.map(({ identifier }) => identifier),
    operationsWithDescribedFiles(analysis.operations),
  );
  const names = new ServiceNames(planned, operations, declared, config.settings.debug, analysis, config);
  const { description } = analysis;
  const identifiers = checked.datasources.map(({ written }, index) => [
    ...[written.name.value, datasources[index]?.identifier],
    hasContext(written),
  ]);
  const plans = checked.operations.map((operation) => kept.plan(operation, names, identifiers));
  const byName = new Map(config.operations.map((operation) => [operation.name.value, operation]));
  const described = plans.map(({ name, functionName }, index) => {
    const { operation, endpoint } = analysis.operations[index] ?? {};
    const isBoth = operation !== undefined && endpoint !== undefined && description !== undefined;
    return {
      name,
      functionName,
      described: isBoth ? withCredentials(endpoint, description, operation, byName) : undefined,
    };
  });
  const api =
    description &&
    planApi(
      description,
      described,
      datasources.map((one) => one.identifier),
    );
  const stores: LimitStores = (store) => known(datasources.find(({ name }) => name === store)).identifier;
  const authentications = planAuthentications(
    config.authentications,
    plans,
    [
      ...datasources.filter(({ type }) => type === 'db').map((one) => one.identifier),
      ...(api?.inputs ?? []).map((one) => one.identifier),
    ],
    stores,
  );
  return {
    configName: nameOfFile(config.source),
    version: description?.version,
    operations: plans,
    datasources,
    authentications,
    functions: checked.functions.map(planFunction),
    access: accessTo(config, authentications),
    knownPages: knownPagesOf(config),
    limits: planServiceLimits(config, stores),
    idempotency: planIdempotency(analysis, stores),
    environment: planEnvironment(config),
    api,
    debug: config.settings.debug,
    apiDocs: config.settings.apiDocs && !config.settings.debug,
    basePath: config.settings.basePath,
    errors: planErrors(config.settings.errors),
    deferred: plans.filter(({ name }) => analysis.deferred.has(name)),
    timers: planTimers(plans, datasources),
  };
}

function planErrors(errors: Errors): ServicePlan['errors'] {
  if (typeof errors === 'string') return errors;
  return errors.map(({ statuses, contentType, schema }) => {
    const written = contentType?.value ?? 'application/json; charset=utf-8';
    return { statuses, type: isPlainText(written) ? 'text/plain; charset=utf-8' : written, schema };
  });
}

/** Top-level names in generated modules other than datasources and operations, and names used in every handler. */
const takenByModules = [
  ...runtimeNames,
  ...wordSet(
    'authentications call contextOf datasources env errors functions idempotency limits operation outbox router schedule toolEndpoint',
  ),
];

type Kind = 'authentication' | 'datasource' | 'operation';

function identifier(text: string, kind: Kind, taken: readonly string[]): string {
  return free(camelCase(text, kind), kind, taken);
}

/** Appends the kind to a taken name: `postgres` → postgresDatasource. */
function free(name: string, kind: Kind, taken: readonly string[]): string {
  return taken.includes(name) ? name + upperFirst(kind) : name;
}

/** The databases that store calls. */
function outboxesOf(fulfillments: readonly CheckedFulfillment[]): Datasource[] {
  return fulfillments.flatMap((one) => {
    if (one.type === 'deferred') return [one.outbox];
    return one.type === 'loop' ? outboxesOf(one.fulfillments) : [];
  });
}

function planDatasources(
  datasources: readonly CheckedDatasource[],
  outboxes: ReadonlySet<Datasource>,
): DatasourcePlan[] {
  const names = datasources.map(({ written }) => written.name.value);
  const wished = names.map((name) => identifier(name, 'datasource', takenByModules));
  const identifiers = uniqueNames(wished, names, takenByModules) as DatasourceIdentifier[];
  const named = new Map(datasources.map(({ written }, index) => [written, identifiers[index]]));
  return datasources.map((datasource) => {
    const storesCalls = outboxes.has(datasource.written);
    return planDatasource(datasource, named, datasources, storesCalls);
  });
}

/** `others` are the databases and inputs that the same modules import. */
function planAuthentications(
  authentications: readonly Authentication[],
  operations: readonly OperationPlan[],
  others: readonly string[],
  stores: LimitStores,
): AuthenticationPlan[] {
  const names = authentications.map(({ name }) => name.value);
  const taken = [...takenByModules, ...operations.map((one) => one.functionName), ...others];
  const wished = names.map((name) => identifier(name, 'authentication', taken));
  const identifiers = uniqueNames(wished, names, taken);
  return authentications.map((authentication, index) =>
    planAuthentication(
      authentication,
      identifiers[index] ?? '',
      (name) => operations.find((operation) => operation.name === name),
      stores,
    ),
  );
}

function planDatasource(
  { written, dialect }: CheckedDatasource,
  identifiers: ReadonlyMap<Datasource, DatasourceIdentifier | undefined>,
  all: readonly CheckedDatasource[],
  storesCalls: boolean,
): DatasourcePlan {
  const identifier = known(identifiers.get(written));
  const {
    name: { value: name },
    timeout,
    url,
  } = written;
  switch (written.type) {
    case 'rest': {
      const { header, retry, oauth2, signature, limit, response } = written;
      const names = header.map((field) => field.name.value);
      return {
        ...{
          type: 'rest',
          name,
          identifier,
          hasUrl: url !== undefined,
          header: names,
          timeout,
          retry,
          limit,
        },
        response,
        oauth2: oauth2 && {
          hasScope: oauth2.scope !== undefined,
          parameters: oauth2.parameters.map((field) => field.name.value),
          clientAuth: oauth2.clientAuth,
        },
        signature: signature?.scheme,
        outbox: planOutbox(written.outbox, identifiers, all),
      };
    }
    case 'smtp':
      return {
        type: 'smtp',
        name,
        identifier,
        timeout,
        outbox: planOutbox(written.outbox, identifiers, all),
      };
    case 'db': {
      const { pool, role } = written;
      const context = written.context.map((setting) => {
        if (setting.value === undefined)
          throw new Error(`'${setting.name.value}' of a context has no value.`);
        return { name: setting.name.value, value: setting.value };
      });
      return {
        type: 'db',
        name,
        identifier,
        dialect: known(dialect),
        pool,
        timeout,
        context,
        role: role?.value,
        storesCalls,
      };
    }
    case undefined:
      throw new Error(`The type of datasource '${name}' is unknown.`);
  }
}

/** The database in which requests and mails are stored. */
function planOutbox(
  outbox: WithSpan<string> | undefined,
  identifiers: ReadonlyMap<Datasource, DatasourceIdentifier | undefined>,
  all: readonly CheckedDatasource[],
): OutboxPlan | undefined {
  const database = all.find((other) => other.written.name.value === outbox?.value);
  return (
    database && {
      database: known(identifiers.get(database.written)),
      role: database.written.type === 'db' ? database.written.role?.value : undefined,
    }
  );
}

/** The path of a file relative to the configuration's folder. */
function nameOfFile({ path, includedAs }: Source): string {
  return includedAs ?? path.split(/[\\/]/).at(-1) ?? path;
}

/** Operations that accept multipart forms according to the API description, whether or not they read the parts. */
function operationsWithDescribedFiles(operations: readonly AnalyzedOperation[]): ReadonlySet<string> {
  const described = operations.filter(({ endpoint }) => endpoint?.body?.form?.types.includes('multipart'));
  return new Set(described.map(({ operation }) => operation.name.value));
}

/** Names of the operations in code, with facts needed by references to them. */
function nameOperations(
  operations: readonly Operation[],
  datasources: readonly string[],
  withDescribedFiles: ReadonlySet<string>,
): ReadonlyMap<Operation, CalledOperation> {
  const { functions, files, responses } = operationNames(operations, datasources);
  const readers = operationsReadingBody(operations);
  const fileReaders = operationsReadingFiles(operations);
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  const fileReceivers = operationsReceivingFiles(operations, [...fileReaders, ...withDescribedFiles]);
  const effects = operationsWithOtherEffects(operations);
  const called = calledNames(operations);
  return new Map(
    operations.map((operation, index) => {
      const name = operation.name.value;
      return [
        operation,
        {
          name,
          functionName: functions[index] ?? '',
          responsesName: responses[index] ?? '',
          fileName: files[index] ?? '',
          writtenIn: nameOfFile(operation.name.span.source),
          readsBody: readers.has(name),
          accepts: operation.accepts && {
            kind: operation.accepts.kind,
            types: acceptedTypes(operation.accepts) ?? [],
          },
          isCalled: called.has(name),
          readsFiles: fileReaders.has(name),
          fileLists: fileReaders.has(name) ? fileListsOf(operation, byName) : [],
          receivesFiles: fileReceivers.has(name),
          hasOtherEffects: effects.has(name),
        },
      ] as const;
    }),
  );
}

function operationNames(
  operations: readonly Operation[],
  datasources: readonly string[],
): { functions: string[]; files: string[]; responses: string[] } {
  const texts = operations.map((operation) => operation.name.value);
  const taken = [...takenByModules, ...datasources];
  const wished = operations.map(wishedNames);
  const functions = wished.map(({ identifier }) => free(identifier, 'operation', taken));
  const files = wished.map(({ file }) => file);
  const named = uniqueNames(functions, texts, taken);
  const responses = named.map((name) => `${name}Responses`);
  return {
    functions: named,
    files: uniqueNames(files, texts, [], '-'),
    responses: uniqueNames(responses, texts, [...taken, ...named]),
  };
}

interface WishedNames {
  readonly identifier: string;
  readonly file: string;
}

/** Cached per operation, because plans of several builds need the names. */
const wishes = new WeakMap<Operation, WishedNames>();

/** The names that an operation would have in code without collisions. */
function wishedNames(operation: Operation): WishedNames {
  const known = wishes.get(operation);
  if (known !== undefined) return known;
  const { name, endpoint } = operation;
  const spoken =
    endpoint === undefined ? name.value : `${endpoint.method.toLowerCase()} ${spokenPath(endpoint.path)}`;
  const wished = { identifier: camelCase(spoken, 'operation'), file: fileSlug(spoken) };
  wishes.set(operation, wished);
  return wished;
}

/** The spoken form of a path: `/news/{id}/comments` becomes `news by id comments`. */
function spokenPath(path: string): string {
  return path === '/' ? 'root' : path.replaceAll(/\{([^{}]*)\}/g, ' by $1 ');
}
