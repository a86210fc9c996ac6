/** The fixtures of services: a configuration, a database, requests with their responses, and the output that is expected. */
import { copied } from '../../compiler/notation/written.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Databases } from '../../compiler/analyze/operations/statements/statement-descriptions.js';
import type { Input } from '../../compiler/compile.js';
import type { FindIncluded } from '../../compiler/read/config/include/included-files.js';
import { ownImportsIn } from '../../compiler/tools/typescript/module-imports.js';
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

/** Files that are the same in the output of every service. */
const everyService = join(repository, 'fixtures/every-service');

export type DatabaseKind = 'postgresql' | 'mariadb';

/** One request of requests.yaml; of `response`, `text` and `message` exactly one is set. */
export interface FixtureRequest {
  readonly name: string;
  /** The rule that it exercises. */
  readonly rule?: string;
  /** Method and target. */
  readonly request: string;
  /** Seconds for which it is repeated until the response is right: for what happens by itself. */
  readonly until?: number;
  readonly header?: Readonly<Record<string, string>>;
  /** The name of an authentication: the request has its credentials, as in tests of a configuration. */
  readonly authentication?: string;
  /** With it: claims of the token, null for one that it does not have. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** With it: the name of an API key, or the key itself where an operation finds its caller. */
  readonly key?: string;
  /** A JSON body. */
  readonly body?: unknown;
  /** A body as it goes over the wire. */
  readonly bodyText?: string;
  /** A multipart body. */
  readonly parts?: readonly FixturePart[];
  /** The requests that the third party received meanwhile, in any order, and nothing else. */
  readonly receives?: readonly ExpectedReceipt[];
  /** The request is sent against one database only. */
  readonly only?: DatabaseKind;
  readonly status: number;
  /** The JSON body of the response. */
  readonly response?: unknown;
  /** The body of the response, byte for byte. */
  readonly text?: string;
  /** The response is an error body whose message contains this. */
  readonly message?: string;
  /** Null for one that must not be there. */
  readonly responseHeader?: Readonly<Record<string, string | readonly string[] | null>>;
}

/** A request that the third party must have received. */
export interface ExpectedReceipt {
  readonly request: string;
  /** Null for one that must not be there. */
  readonly header?: Readonly<Record<string, string | null>>;
  /** Byte for byte; the boundary of a multipart body is BOUNDARY. */
  readonly body?: string;
}

/** A part of a multipart body: a text, or a file when it has a file name. */
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
  /** The files that it includes, as the tool finds them. */
  readonly include: FindIncluded;
  /** The API description, where the folder has one. */
  readonly description: DescriptionInput | undefined;
  /** The owner's src/app.ts. */
  readonly app: string | undefined;
  /** The owner's src/middleware.ts. */
  readonly middleware: string | undefined;
  /** The owner's files of src/code. */
  readonly code: readonly Source[];
  /** `api.yaml`, the description of a third party. */
  readonly api: string | undefined;
  readonly schema: string;
  readonly seed: string;
  /** The folders of the expected output: files in none of the earlier folders are written to the last one, and later folders win. */
  readonly expected: readonly string[];
  readonly requests: readonly FixtureRequest[];
  /** The responses of the third party, whose paths begin with the name of the datasource. */
  readonly thirdParty: readonly Playing[];
  /** Variables of the service's environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Time zones of the service's process; every request is played in each. */
  readonly timeZones: readonly string[];
  /** Where the service is to run. */
  readonly target: Target | undefined;
  /** Further objects of Kubernetes. */
  readonly with: readonly KubernetesExtra[];
  /** Codes of the warnings that the configuration has. */
  readonly warnings: readonly string[];
}

export interface RequestsFile {
  readonly databases: readonly DatabaseKind[];
  readonly target?: Target;
  readonly with?: readonly KubernetesExtra[];
  readonly timeZones?: readonly string[];
  /** Warnings; one that only one database has is below the name of the database. */
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

/** The files of a fixture: its own, those of an example or API description, and the expected output. */
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

/** Every fixture on every database that it names; `FIXTURE=news` is that one alone. A process reads their many requests once. */
export function serviceFixtures(): readonly ServiceFixture[] {
  const only = process.env['FIXTURE']?.split(',');
  fixturesOfProcess ??= fixtureFolders(folder, knownFiles)
    .filter((name) => only?.includes(name) !== false)
    .flatMap(readFixture);
  return fixturesOfProcess;
}

/** requests.yaml of a fixture. Throws where it has an unknown key, or a request whose response is not compared. */
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

/** `config.mariadb.yaml` if it exists, otherwise `config.yaml` with the other database's URL. */
function variant(name: string, base: string, ending: string, database: DatabaseKind): string {
  const own = join(folder, name, `${base}.mariadb.${ending}`);
  if (database === 'mariadb' && existsSync(own)) return readFileSync(own, 'utf8');
  const common = join(folder, name, `${base}.${ending}`);
  if (!existsSync(common)) return '';
  const text = readFileSync(common, 'utf8');
  return database === 'mariadb' ? text.replaceAll('jdbc:postgresql:', 'jdbc:mariadb:') : text;
}

/** The input of the compiler. */
export function inputOf(fixture: ServiceFixture): Input {
  const { config, include, description, api, target, with: extras } = fixture;
  return {
    config: { path: 'config.yaml', text: config },
    include,
    ...(description && { description }),
    ...ownImportsIn(ownFiles(fixture)),
    thirdParty: thirdPartyOf(api === undefined ? {} : { api }),
    ...(target && { target, extras }),
  };
}

/** The schema of a fixture's only database, as `build` finds it beside the configuration. */
export function databasesOf({ schema }: Pick<ServiceFixture, 'schema'>): Databases {
  return new SchemaDatabases((_, all) =>
    all.length === 1 && schema !== ''
      ? { kind: 'schema', sources: [{ path: 'schema.sql', text: schema }] }
      : undefined,
  );
}

/** The API description of a folder, with the files beside it. */
export function descriptionIn(path: string): DescriptionInput | undefined {
  const read = (name: string): Source | undefined =>
    existsSync(join(path, name)) ? { path: name, text: readFileSync(join(path, name), 'utf8') } : undefined;
  const source = ['openapi.yaml', 'openapi.json'].map(read).find((found) => found !== undefined);
  return source && { source, read };
}

/** The files that the owner of the service has written. */
export function ownFiles({ app, middleware, code }: ServiceFixture): GeneratedFile[] {
  const modules = Object.entries({ app, middleware }).flatMap(([name, text]) =>
    text === undefined ? [] : [{ path: `src/${name}.ts`, text }],
  );
  return [...modules, ...code].map(({ text, ...file }) => ({ ...file, text: copied(text), kind: 'once' }));
}

/** What a build has written, with the files of its owner. */
export function withOwnFiles(files: readonly GeneratedFile[], fixture: ServiceFixture): GeneratedFile[] {
  const own = ownFiles(fixture);
  const paths = new Set(own.map(({ path }) => path));
  return [...files.filter(({ path }) => !paths.has(path)), ...own];
}
