/** The fixtures of services: a configuration, a database, requests with their responses, and the expected output. */
import { copied } from '../../compiler/notation/written.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Databases } from '../../compiler/analyze/operations/statements/statement-descriptions.js';
import type { Input } from '../../compiler/compile.js';
import type { FindIncluded } from '../../compiler/read/config/include/included-files.js';
import { ownImportsIn } from '../../compiler/tools/typescript/module-imports.js';
import { treeOf } from '../../compiler/tools/typescript/module-tree.js';
import { headersSetIn } from '../../compiler/tools/typescript/set-headers.js';
import { findIncluded } from '../../compiler/tools/commands/shared/files/find-included.js';
import { thirdPartyOf } from '../../compiler/tools/example.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import type { KubernetesExtra, Target } from '../../compiler/generate/emit/service/target.js';
import type { DescriptionInput } from '../../compiler/read/openapi/documents.js';
import type { Source } from '../../compiler/read/source.js';
import { entriesOf, entryOf, fixtureFolders, type Keys } from './fixture-keys.js';
import type { Playing } from './third-party.js';

export const repository = new URL('../../', import.meta.url).pathname;
const folder = join(repository, 'fixtures/services');

/** Files that are the same in the output of all services. */
const everyService = join(repository, 'fixtures/every-service');

export type DatabaseKind = 'postgresql' | 'mariadb';

/** A request in requests.yaml; exactly one of `response`, `text` and `message` is set. */
export interface FixtureRequest {
  readonly name: string;
  /** The rule tested by the request. */
  readonly rule?: string;
  /** Method and target. */
  readonly request: string;
  /** Seconds for which the request is repeated until the response matches, for effects that happen asynchronously. */
  readonly until?: number;
  readonly header?: Readonly<Record<string, string>>;
  /** The name of an authentication whose credentials are sent, as in test files of users. */
  readonly authentication?: string;
  /** With `authentication`: claims of the token; null omits a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** With `authentication`: the name of an API key, or the key itself if an operation looks up the caller. */
  readonly key?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A body sent byte for byte. */
  readonly bodyText?: string;
  /** Sent as a multipart body. */
  readonly parts?: readonly FixturePart[];
  /** Exactly the requests received by the third party meanwhile, in any order. */
  readonly receives?: readonly ExpectedReceipt[];
  /** The request is only sent with this database. */
  readonly only?: DatabaseKind;
  readonly status: number;
  /** The JSON body of the response. */
  readonly response?: unknown;
  /** The exact body of the response. */
  readonly text?: string;
  /** Text contained in the message of the error response. */
  readonly message?: string;
  /** Null for a header that must not be sent. */
  readonly responseHeader?: Readonly<Record<string, string | readonly string[] | null>>;
  /**
   * Parts of the response, by name: the first group of a regular expression, in a header or else in the body. This and later requests of
   * the fixture have them in place of `:[name]`.
   */
  readonly keep?: Readonly<Record<string, KeptPart>>;
}

/** A part of a response that later requests send. */
export interface KeptPart {
  /** The header with the part; by default, the body has it. */
  readonly header?: string;
  readonly pattern: string;
}

/** A request that the third party must receive. */
export interface ExpectedReceipt {
  readonly request: string;
  /** Null for a header that must not be sent. */
  readonly header?: Readonly<Record<string, string | null>>;
  /** The exact body; the boundary of a multipart body is BOUNDARY. */
  readonly body?: string;
}

/** A part of a multipart body: a string, or a file if it has a file name. */
export interface FixturePart {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly text: string;
}

export interface ServiceFixture {
  readonly name: string;
  readonly database: DatabaseKind;
  readonly config: string;
  /** Finds the included files, like the command-line tool. */
  readonly include: FindIncluded;
  /** The API description, if the folder has one. */
  readonly description: DescriptionInput | undefined;
  /** The user's src/app.ts. */
  readonly app: string | undefined;
  /** The user's src/middleware.ts. */
  readonly middleware: string | undefined;
  /** The user's files in src/code. */
  readonly code: readonly Source[];
  /** `api.yaml`, the description of a third party. */
  readonly api: string | undefined;
  readonly schema: string;
  readonly seed: string;
  /** The folders of the expected output; files of later folders win. Files missing in the other folders are written to the last one. */
  readonly expected: readonly string[];
  readonly requests: readonly FixtureRequest[];
  /** Responses of the third party, whose paths begin with the name of the datasource. */
  readonly thirdParty: readonly Playing[];
  /** Environment variables of the service. */
  readonly environment: Readonly<Record<string, string>>;
  /** Time zones of the service's process; every request is sent in each of them. */
  readonly timeZones: readonly string[];
  /** The deployment target of the service. */
  readonly target: Target | undefined;
  /** Additional Kubernetes objects. */
  readonly with: readonly KubernetesExtra[];
  /** Codes of the warnings for the configuration. */
  readonly warnings: readonly string[];
}

export interface RequestsFile {
  readonly databases: readonly DatabaseKind[];
  readonly target?: Target;
  readonly with?: readonly KubernetesExtra[];
  readonly timeZones?: readonly string[];
  /** Warning codes; a warning for only one database is a map from the database to the code. */
  readonly warnings?: readonly (string | Partial<Record<DatabaseKind, string>>)[];
  readonly thirdParty?: readonly Playing[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly requests: readonly FixtureRequest[];
}

const fileKeys: Keys<RequestsFile> = {
  databases: 'required',
  target: 'optional',
  with: 'optional',
  timeZones: 'optional',
  warnings: 'optional',
  thirdParty: 'optional',
  environment: 'optional',
  requests: 'required',
};

const requestKeys: Keys<FixtureRequest> = {
  name: 'required',
  rule: 'optional',
  request: 'required',
  until: 'optional',
  header: 'optional',
  authentication: 'optional',
  claims: 'optional',
  key: 'optional',
  body: 'optional',
  bodyText: 'optional',
  parts: 'optional',
  receives: 'optional',
  only: 'optional',
  status: 'required',
  response: 'optional',
  text: 'optional',
  message: 'optional',
  responseHeader: 'optional',
  keep: 'optional',
};

const partKeys: Keys<FixturePart> = {
  name: 'required',
  filename: 'optional',
  type: 'optional',
  text: 'required',
};

const receiptKeys: Keys<ExpectedReceipt> = { request: 'required', header: 'optional', body: 'optional' };

const playingKeys: Keys<Playing> = {
  request: 'required',
  status: 'optional',
  header: 'optional',
  json: 'optional',
  text: 'optional',
  fault: 'optional',
  responses: 'optional',
  timed: 'optional',
};

/** Allowed files of a fixture: its own files, those of an example or an API description, and the expected output. */
const knownFiles = [
  /^(?:config|schema|seed)(?:\.mariadb)?\.(?:yaml|sql)$/,
  /^(?:requests|openapi|api)\.yaml$|^openapi\.json$|^(?:app|middleware)\.ts$/,
  /^(?:README\.md|\.env\.example|config\.(?:test|stubs)\.yaml)$/,
  /^(?:paths|shared|schemas)(?:\/.+)?\.yaml$/,
  /^operations\/.+\.yaml$/,
  /^code\/\w+\.ts$/,
  /^expected(?:\.mariadb)?\//,
];

let fixturesOfProcess: readonly ServiceFixture[] | undefined;

/** Every fixture with each of its databases; `FIXTURE=news` selects only that one. Cached, because reading the many requests is slow. */
export function serviceFixtures(): readonly ServiceFixture[] {
  const only = process.env['FIXTURE']?.split(',');
  fixturesOfProcess ??= fixtureFolders(folder, knownFiles)
    .filter((name) => only?.includes(name) !== false)
    .flatMap(readFixture);
  return fixturesOfProcess;
}

/** The requests.yaml of a fixture. Throws if it has an unknown key, or a request whose response is not compared. */
export function requestsFile(name: string): RequestsFile {
  const where = `fixtures/services/${name}/requests.yaml`;
  const yaml: unknown = parse(readFileSync(join(folder, name, 'requests.yaml'), 'utf8'));
  const file = entryOf<RequestsFile>(yaml, fileKeys, where);
  for (const request of entriesOf<FixtureRequest>(file.requests, requestKeys, where)) {
    const at = `${where}, '${request.name}'`;
    const compared = [request.response, request.text, request.message].filter((one) => one !== undefined);
    if (compared.length !== 1) throw new Error(`${at} needs one of response, text and message.`);
    if (request.receives?.length) entriesOf<ExpectedReceipt>(request.receives, receiptKeys, at);
    if (request.parts !== undefined) entriesOf<FixturePart>(request.parts, partKeys, at);
  }
  if (file.thirdParty !== undefined) entriesOf<Playing>(file.thirdParty, playingKeys, where);
  return file;
}

function readFixture(name: string): ServiceFixture[] {
  const file = requestsFile(name);
  return file.databases.map((database) => ({
    name,
    database,
    config: variant(name, 'config', 'yaml', database),
    include: findIncluded({ config: join(folder, name, 'config.yaml'), folder: join(folder, name) }),
    description: descriptionIn(join(folder, name)),
    app: textOf(name, 'app.ts'),
    middleware: textOf(name, 'middleware.ts'),
    code: codeOf(name),
    api: textOf(name, 'api.yaml'),
    schema: variant(name, 'schema', 'sql', database),
    seed: variant(name, 'seed', 'sql', database),
    expected: [
      everyService,
      join(folder, name, 'expected'),
      ...(database === 'mariadb' ? [join(folder, name, 'expected.mariadb')] : []),
    ],
    requests: file.requests.filter(({ only }) => only === undefined || only === database),
    timeZones: file.timeZones ?? ['UTC'],
    target: file.target,
    with: file.with ?? [],
    warnings: (file.warnings ?? []).flatMap((code) =>
      typeof code === 'string' ? code : (code[database] ?? []),
    ),
    thirdParty: file.thirdParty ?? [],
    environment: file.environment ?? {},
  }));
}

function codeOf(name: string): Source[] {
  const path = join(folder, name, 'code');
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .sort()
    .map((file) => ({ path: `src/code/${file}`, text: readFileSync(join(path, file), 'utf8') }));
}

function textOf(name: string, file: string): string | undefined {
  const path = join(folder, name, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** The file for MariaDB if it exists (`config.mariadb.yaml`), otherwise the common one (`config.yaml`) with MariaDB's URL. */
function variant(name: string, base: string, ending: string, database: DatabaseKind): string {
  const own = join(folder, name, `${base}.mariadb.${ending}`);
  if (database === 'mariadb' && existsSync(own)) return readFileSync(own, 'utf8');
  const common = join(folder, name, `${base}.${ending}`);
  if (!existsSync(common)) return '';
  const text = readFileSync(common, 'utf8');
  return database === 'mariadb' ? text.replaceAll('jdbc:postgresql:', 'jdbc:mariadb:') : text;
}

/** The headers that the fixture's middleware sets. */
function ownHeadersOf({ middleware }: ServiceFixture): ReadonlySet<string> {
  if (middleware === undefined) return new Set();
  const module = treeOf({ path: 'src/middleware.ts', text: middleware });
  return new Set(headersSetIn(module).map((name) => name.toLowerCase()));
}

/** The input of the compiler. */
export function inputOf(fixture: ServiceFixture): Input {
  const { config, include, description, api, target, with: extras } = fixture;
  return {
    config: { path: 'config.yaml', text: config },
    include,
    ...(description && { description }),
    ...ownImportsIn(ownFiles(fixture)),
    ownHeaders: ownHeadersOf(fixture),
    thirdParty: thirdPartyOf(api === undefined ? {} : { api }),
    ...(target && { target, extras }),
  };
}

/** The schema of a fixture's only database, as `build` finds it next to the configuration. */
export function databasesOf({ schema }: Pick<ServiceFixture, 'schema'>): Databases {
  return new SchemaDatabases((_, all) =>
    all.length === 1 && schema !== ''
      ? { kind: 'schema', sources: [{ path: 'schema.sql', text: schema }] }
      : undefined,
  );
}

/** The API description in a folder, with the files next to it. */
export function descriptionIn(path: string): DescriptionInput | undefined {
  const read = (name: string): Source | undefined =>
    existsSync(join(path, name)) ? { path: name, text: readFileSync(join(path, name), 'utf8') } : undefined;
  const source = ['openapi.yaml', 'openapi.json'].map(read).find((found) => found !== undefined);
  return source && { source, read };
}

/** Files written by the user of the service. */
export function ownFiles({ app, middleware, code }: ServiceFixture): GeneratedFile[] {
  const modules = Object.entries({ app, middleware }).flatMap(([name, text]) =>
    text === undefined ? [] : [{ path: `src/${name}.ts`, text }],
  );
  return [...modules, ...code].map(({ text, ...file }) => ({ ...file, text: copied(text), kind: 'once' }));
}

/** The output of a build, combined with user files. */
export function withOwnFiles(files: readonly GeneratedFile[], fixture: ServiceFixture): GeneratedFile[] {
  const own = ownFiles(fixture);
  const paths = new Set(own.map(({ path }) => path));
  return [...files.filter(({ path }) => !paths.has(path)), ...own];
}
