/** The runtime symbols that generated code may use; a symbol that does not exist in the runtime fails to compile here. */
import type * as handlerSymbols from '../../../../runtime/index.js';
import type * as apikeySymbols from '../../../../runtime/apikey/index.js';
import type * as authenticationSymbols from '../../../../runtime/authentication/index.js';
import type * as basicauthSymbols from '../../../../runtime/basicauth/index.js';
import type * as customSymbols from '../../../../runtime/custom/custom.js';
import type * as describedSymbols from '../../../../runtime/rest/described-responses.js';
import type * as errorsSymbols from '../../../../runtime/errors/index.js';
import type * as httpSymbols from '../../../../runtime/http/index.js';
import type * as jwtSymbols from '../../../../runtime/jwt/index.js';
import type * as idempotencySymbols from '../../../../runtime/idempotency/index.js';
import type * as limitStoreSymbols from '../../../../runtime/limit-store/index.js';
import type * as limitsSymbols from '../../../../runtime/limits/index.js';
import type * as mcpSymbols from '../../../../runtime/mcp/index.js';
import type * as mysqlSymbols from '../../../../runtime/mysql/index.js';
import type * as ownAccessSymbols from '../../../../runtime/code/parts/own-access.js';
import type * as ownCodeSymbols from '../../../../runtime/code/parts/own-code.js';
import type * as ownDatabasesSymbols from '../../../../runtime/code/own-databases.js';
import type * as ownRoutesSymbols from '../../../../runtime/code/parts/own-routes.js';
import type * as outboxSymbols from '../../../../runtime/outbox/index.js';
import type * as passwordHashSymbols from '../../../../runtime/password-hash/hashed-account.js';
import type * as passwordsSymbols from '../../../../runtime/passwords/index.js';
import type * as postgresSymbols from '../../../../runtime/postgres/index.js';
import type * as restSymbols from '../../../../runtime/rest/index.js';
import type * as scheduleSymbols from '../../../../runtime/schedule/index.js';
import type * as signatureSymbols from '../../../../runtime/signature/index.js';
import type * as smtpSymbols from '../../../../runtime/smtp/index.js';
import type * as testedSmtpSymbols from '../../../../runtime/testing/tested-smtp.js';
import type * as testingSymbols from '../../../../runtime/testing/index.js';
import type * as traceSymbols from '../../../../runtime/trace/index.js';
import type * as tracedSmtpSymbols from '../../../../runtime/trace/smtp-part.js';
import type * as uploadsSymbols from '../../../../runtime/uploads/index.js';

/** The package name under which services import the runtime. */
export const runtimePackage = '@apikiln/runtime';

/** Symbols that handlers import from the package itself, by runtime folder. */
const ofHandlers = {
  compare: [
    ...(['equal', 'greater', 'greaterOrEqual', 'isTrue', 'less', 'lessOrEqual'] as const),
    ...(['isAfter', 'isAfterOrAt', 'isBefore', 'isBeforeOrAt'] as const),
  ],
  bodies: ['formBody', 'jsonBody', 'jsonBodyOf', 'textBody'],
  address: ['clientAddress'],
  query: ['queryMap'],
  forms: ['readUrlencoded'],
  handler: ['every', 'exact', 'fail', 'get', 'plainValue', 'size', 'textOf'],
  joins: ['first', 'groupBy', 'orNull', 'rowsIn'],
  lists: ['jsonList', 'jsonPage', 'listOf', 'startList', 'streamList'],
  loops: [
    ...(['IndexedResults', 'concurrently', 'elements', 'exactElements', 'firstInTurns'] as const),
    ...(['flatMapInTurns', 'inTurns', 'list', 'mapInTurns'] as const),
  ],
  rest: ['encode', 'segment', 'wholeUrl'],
  references: ['callOperation', 'callOrContinue', 'notCalled'],
  responses: [
    ...(['allowedType', 'bytes', 'cookieValue', 'csv', 'headerLines', 'ifMatch'] as const),
    ...(['jsonLines', 'jsonRows'] as const),
    ...(['reply', 'storedSegment', 'streamRows', 'text', 'urlReference'] as const),
  ],
  sql: [
    ...([
      'eachInUnion',
      'eachOf',
      'fileBytes',
      'inList',
      'more',
      'notInList',
      'readEach',
      'sendEach',
      'sql',
      'startEach',
    ] as const),
    ...(['startChain', 'startRead', 'value', 'violates'] as const),
  ],
  transactions: ['inTransaction'],
  values: [
    ...(['digits', 'environmentVariables', 'lengthOf', 'lowerCase', 'now', 'randomText'] as const),
    ...(['sha256', 'uuid', 'withDigits'] as const),
  ],
} as const satisfies Readonly<Record<string, readonly (keyof typeof handlerSymbols)[]>>;

/** Symbols that other modules import from a part of the runtime. */
const ofParts = {
  apikey: ['apiKey'] satisfies (keyof typeof apikeySymbols)[],
  authentication: [
    'accept',
    'knownPages',
    'optional',
    'withScopes',
  ] satisfies (keyof typeof authenticationSymbols)[],
  basicauth: ['basicAuth'] satisfies (keyof typeof basicauthSymbols)[],
  custom: ['custom'] satisfies (keyof typeof customSymbols)[],
  'described-responses': ['describedResponses'] satisfies (keyof typeof describedSymbols)[],
  errors: ['errorBodies', 'problem'] satisfies (keyof typeof errorsSymbols)[],
  http: ['createRouter'] satisfies (keyof typeof httpSymbols)[],
  idempotency: ['idempotencyKeys', 'keyStore'] satisfies (keyof typeof idempotencySymbols)[],
  jwt: ['jwt', 'jwtOfKey'] satisfies (keyof typeof jwtSymbols)[],
  'limit-store': ['limitStore'] satisfies (keyof typeof limitStoreSymbols)[],
  limits: [
    ...(['clientNetwork', 'requestLimits', 'serviceLimits', 'withLimits'] as const),
  ] satisfies (keyof typeof limitsSymbols)[],
  mcp: ['mcpEndpoint'] satisfies (keyof typeof mcpSymbols)[],
  mysql: [
    ...([
      'jsonText',
      'limit',
      'mysql',
      'numeric',
      'offset',
      'timestamp',
      'timestamps',
      'typed',
      'whole',
    ] as const),
  ] satisfies (keyof typeof mysqlSymbols)[],
  outbox: ['createOutbox', 'startWithOutbox'] satisfies (keyof typeof outboxSymbols)[],
  'own-access': ['ownAccess'] satisfies (keyof typeof ownAccessSymbols)[],
  'own-code': ['ownCode', 'ownFunction'] satisfies (keyof typeof ownCodeSymbols)[],
  'own-databases': ['ownDatabases'] satisfies (keyof typeof ownDatabasesSymbols)[],
  'own-routes': ['ownOperation', 'ownRoutes'] satisfies (keyof typeof ownRoutesSymbols)[],
  'password-hash': ['hashedAccount'] satisfies (keyof typeof passwordHashSymbols)[],
  passwords: [
    ...(['foundAccount', 'hashPassword', 'isOutdated', 'verifyPassword'] as const),
  ] satisfies (keyof typeof passwordsSymbols)[],
  postgres: ['postgres', 'rowsOfCaller'] satisfies (keyof typeof postgresSymbols)[],
  rest: [
    ...(['allPages', 'headerValue', 'noResponse', 'oauth2', 'orFailure', 'rateLimit'] as const),
    ...(['responseHeader', 'rest', 'retry', 'signed', 'signer', 'together'] as const),
  ] satisfies (keyof typeof restSymbols)[],
  schedule: ['createSchedule'] satisfies (keyof typeof scheduleSymbols)[],
  signature: ['signature'] satisfies (keyof typeof signatureSymbols)[],
  smtp: ['htmlLink', 'htmlLinkPart', 'htmlText', 'smtp'] satisfies (keyof typeof smtpSymbols)[],
  'tested-smtp': ['testedSmtp'] satisfies (keyof typeof testedSmtpSymbols)[],
  testing: ['cover', 'testedOutbox', 'testedRest', 'underTest'] satisfies (keyof typeof testingSymbols)[],
  trace: ['traced', 'tracedDatabase', 'tracedOutbox', 'tracedRest'] satisfies (keyof typeof traceSymbols)[],
  'traced-smtp': ['tracedSmtp'] satisfies (keyof typeof tracedSmtpSymbols)[],
  uploads: ['readForm', 'readFormWith'] satisfies (keyof typeof uploadsSymbols)[],
};

/** Types used by generated handlers, by runtime part. */
const types = {
  handler: ['Call', 'CallOf', 'ExactNumber', 'Json', 'JsonObject', 'Reply', 'Row'],
  lists: ['PageLinks'],
  references: ['CallOutcome'],
} as const;

/** Types used by other generated modules, by runtime part. */
const typesOfParts = {
  http: ['Loaded'],
  'own-code': ['InputFile', 'OwnContext'],
  rest: ['RestOutcome', 'RestResponse'],
  smtp: ['MailOutcome'],
} as const;

type Names<Table extends Readonly<Record<string, readonly string[]>>> = Table[keyof Table][number];
export type RuntimeValue = Names<typeof ofHandlers> | Names<typeof ofParts>;
export type RuntimeType = Names<typeof types> | Names<typeof typesOfParts>;

/** The module that exports a symbol. */
export interface RuntimeModule {
  readonly specifier: string;
  readonly isType: boolean;
}

const modules = new Map<string, RuntimeModule>([
  ...located(ofHandlers, () => runtimePackage, false),
  ...located(ofParts, specifierOf, false),
  ...located(types, () => runtimePackage, true),
  ...located(typesOfParts, specifierOf, true),
]);

/** The import specifier of a runtime part. */
export function specifierOf(part: string): string {
  return `${runtimePackage}/${part}`;
}

function located(
  table: Readonly<Record<string, readonly string[]>>,
  specifier: (part: string) => string,
  isType: boolean,
): [string, RuntimeModule][] {
  return Object.entries(table).flatMap(([part, names]) =>
    names.map((name): [string, RuntimeModule] => [name, { specifier: specifier(part), isType }]),
  );
}

export function moduleOf(symbol: RuntimeValue | RuntimeType): RuntimeModule {
  const module = modules.get(symbol);
  if (module === undefined) throw new Error(`No module has '${symbol}'.`);
  return module;
}

/** Every name that a module may import from the runtime; variables must not shadow these names. */
export const runtimeNames: readonly string[] = [...modules.keys()];
