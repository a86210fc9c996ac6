/** The third parties of `apikiln dev`: plays the stubs in `config.stubs.yaml`, and can record responses to other requests there. */
import { existsSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { referencesIn, upperSnake } from '../../../../runtime/server/environment-reference.js';
import { settingsOfDatasource } from '../../../analyze/operations/resource-settings.js';
import { replaceReferences } from '../../../read/config/environment-reference.js';
import { asThirdParty, headersOf, type Config, type Datasource } from '../../../read/config/config-model.js';
import { allFulfillments } from '../../../read/config/walk.js';
import { resolvedReferences } from '../../../analyze/database/resolved-references.js';
import type { Diagnostic, Severities } from '../../../read/diagnostics/diagnostic.js';
import { isSecretOption } from '../../../read/diagnostics/secrets/secret-words.js';
import type { ThirdParty } from '../../../read/openapi/third-party/third-party.js';
import { forwardRequest, type ForwardedResponse } from '../../local/forward-request.js';
import { leadToStub, type Played } from '../../local/lead-to-stub.js';
import type { Path } from '../../../read/expression/ast.js';
import { StubServer, type StubResponse, type StubRequest } from '../../local/stub-server.js';
import type { Source } from '../../../read/source.js';
import { firstStub, withStub } from '../../testing/add-stub.js';
import { testSecret } from '../../testing/service-environment.js';
import { StubbedApis } from '../../testing/stubbed-apis.js';
import { recordedStub } from '../../testing/recorded-stub.js';
import { readStubFile } from '../../testing/read/read-stub-file.js';
import type { Stub } from '../../testing/read/test-model.js';
import type { BesideTests } from '../../testing/read/test-scope.js';
import { refuseOutside } from '../shared/files/file-inside.js';
import { stubFileOf } from '../shared/files/find-tests.js';
import { notNoted, type Place, readText, reason } from '../shared/files/read-text.js';

export interface DevStubsOptions extends Place {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether requests without a stub are forwarded and recorded as stubs. */
  readonly record: boolean;
  readonly thirdParties?: ReadonlyMap<string, ThirdParty>;
  readonly severities?: Severities;
}

/** A third party whose responses are recorded. */
interface Recorded {
  /** Such as `https://api.example.com`. */
  readonly origin: string;
  /** Values that must not be written to stubs. */
  readonly secrets: Set<string>;
}

/** The file that stubs are written to: its path, and the path displayed to the user. */
interface StubFile {
  readonly path: string;
  readonly shown: string;
}

export interface PreparedStubs {
  readonly settings: Readonly<Record<string, string>>;
  readonly news: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Maximum number of secrets of calls that are remembered. */
const maxMade = 10_000;

export class DevStubs {
  readonly #servers = new Map<string, StubServer>();
  readonly #recorded = new Map<string, Recorded>();
  readonly #played = new Map<string, Played>();
  /** Requests always forwarded in this run, because their stubs lack a secret (such as a token) that other requests need. */
  readonly #open = new Set<string>();
  /** Random strings, passwords and hashes of calls. */
  readonly #made = new Set<string>();
  #stubs: readonly Stub[] = [];
  #datasources: readonly Datasource[] = [];
  #beside: BesideTests = {};
  #file: StubFile | undefined;
  #logged = '';

  /** `wrote` receives the path of the stub file after each change. */
  constructor(
    private readonly log: (line: string) => void,
    private readonly wrote: (path: string) => void,
  ) {}

  /**
   * Starts the stub servers or keeps running ones, which all versions of the service share. If the file has errors, the previous stubs
   * remain in use.
   */
  async prepare(
    { datasources, operations }: Pick<Config, 'datasources' | 'operations'>,
    options: DevStubsOptions,
  ): Promise<PreparedStubs> {
    const { config, folder, environment, note = notNoted, record } = options;
    const path = stubFileOf(config);
    note(path);
    const shown = relative(folder, path);
    refuseOutside(path, shown, config);
    this.#file = { path, shown };
    this.#datasources = datasources;
    this.#beside = options;
    const diagnostics = this.#read();
    const settings: Record<string, string> = {};
    const names: string[] = [];
    for (const datasource of datasources.filter(({ type }) => type === 'rest')) {
      const name = datasource.name.value;
      const variable = `DATASOURCE_${upperSnake(name)}_URL`;
      const isStubbed = this.#stubs.some((stub) => stub.datasource === name);
      const written = datasource.url?.value;
      const url = environment[variable] || (written && resolvedReferences(written, environment));
      const before = this.#recorded.get(name)?.secrets ?? [];
      this.#recorded.delete(name);
      const origin = record ? originOf(url) : undefined;
      if (origin !== undefined)
        // Secrets learned from earlier responses remain secret.
        this.#recorded.set(name, {
          origin,
          secrets: new Set([...before, ...secretsOf(datasource, environment)]),
        });
      // A server named in the environment takes precedence, as with databases, unless its responses are recorded.
      else if (environment[variable] || !isStubbed) continue;
      const server =
        this.#servers.get(name) ?? (await StubServer.start((...asked) => this.#respond(name, ...asked)));
      this.#servers.set(name, server);
      this.#played.set(name, { origin: originOf(url), next: nextPagesOf(name, operations) });
      // A recorded third party only accepts real credentials and tokens.
      if (origin === undefined) {
        Object.assign(settings, missingSettings(datasource, environment));
        if (asThirdParty(datasource)?.oauth2 !== undefined)
          settings[`DATASOURCE_${upperSnake(name)}_OAUTH2_TOKEN_URL`] = `${server.url}${tokenPath}`;
      }
      settings[variable] = `${server.url}${pathOf(url)}`;
      names.push(name);
    }
    const what = record ? `stubs of ${shown}, and what they lack is recorded there` : `stubs of ${shown}`;
    const line = names.length === 0 ? '' : `${names.join(', ')}: ${what}`;
    const news = line === this.#logged || line === '' ? [] : [line];
    this.#logged = line;
    return { settings, news, diagnostics };
  }

  /** Keeps a secret of a call out of recorded stubs. */
  hide(secret: string): void {
    this.#made.delete(secret);
    this.#made.add(secret);
    const [oldest] = this.#made;
    if (this.#made.size > maxMade && oldest !== undefined) this.#made.delete(oldest);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
  }

  #read(): readonly Diagnostic[] {
    if (this.#file === undefined) return [];
    const { path, shown } = this.#file;
    const { stubs, diagnostics } = existsSync(path)
      ? readStubFile({ path: shown, text: readText(path, shown) }, this.#datasources, this.#beside)
      : { stubs: [], diagnostics: [] };
    if (diagnostics.every(({ severity }) => severity !== 'error')) this.#stubs = stubs;
    return diagnostics;
  }

  async #respond(datasource: string, request: StubRequest, isAwaited: () => boolean): Promise<StubResponse> {
    if (request.path === tokenPath) return tokenResponse;
    const response = await this.#answer(datasource, request, isAwaited);
    const [played, server] = [this.#played.get(datasource), this.#servers.get(datasource)];
    return played === undefined || server === undefined ? response : leadToStub(response, played, server.url);
  }

  async #answer(datasource: string, request: StubRequest, isAwaited: () => boolean): Promise<StubResponse> {
    const recorded = this.#recorded.get(datasource);
    const key = keyOf(datasource, request);
    if (recorded !== undefined && this.#open.has(targetOf(datasource, request)))
      return this.#forward(recorded, request, key);
    const { response, problem } = this.#play(datasource, request);
    if (problem === undefined) return response;
    if (recorded !== undefined) return this.#record(datasource, recorded, request, isAwaited);
    this.log(`  ${problem}`);
    return response;
  }

  async #forward(
    { origin }: Recorded,
    request: StubRequest,
    what: string,
    seen: (response: ForwardedResponse) => void = () => undefined,
  ): Promise<StubResponse> {
    let response;
    try {
      response = await forwardRequest(origin, request);
    } catch (error) {
      this.log(`  ${what}: the third party did not respond: ${reason(error)}`);
      return { fault: 'reset' };
    }
    seen(response);
    return response;
  }

  #record(
    datasource: string,
    recorded: Recorded,
    request: StubRequest,
    isAwaited: () => boolean,
  ): Promise<StubResponse> {
    const what = keyOf(datasource, request);
    // A response may contain a token that the service obtained elsewhere.
    for (const word of request.headers.authorization?.split(' ').slice(1) ?? []) recorded.secrets.add(word);
    return this.#forward(recorded, request, what, (response) => {
      // A response that the service did not wait for is not recorded: as a stub, the service would receive it.
      const found = isAwaited()
        ? recordedStub(request, response, new Set([...recorded.secrets, ...this.#made]))
        : 'its response arrived when the service no longer waited';
      if (typeof found === 'string') {
        this.log(`  ${what}: not recorded, because ${found}`);
        return;
      }
      for (const secret of found.learnt) recorded.secrets.add(secret);
      // For the rest of this run, token requests are forwarded to get real tokens.
      if (found.learnt.length > 0) this.#open.add(targetOf(datasource, request));
      const written = this.#write(datasource, found.stub);
      this.log(`  ${what}: ${written}${this.#contradictions(datasource, found.stub)}`);
    });
  }

  /** The first contradiction between a response and its third party's description, as the end of a log line. */
  #contradictions(datasource: string, stub: object): string {
    const source = { path: '', text: firstStub(datasource, stub) };
    const { diagnostics } = readStubFile(source, this.#datasources, this.#beside);
    const [first, ...others] = diagnostics.filter(({ code }) => code === 'undescribed-stub');
    if (first === undefined) return '';
    const more = others.length === 0 ? '' : ` And ${others.length} more.`;
    return `. It is not as described: ${first.message}${more}`;
  }

  /** Returns the message to print. */
  #write(datasource: string, stub: object): string {
    if (this.#file === undefined) return 'not recorded';
    const { path, shown } = this.#file;
    try {
      const now = existsSync(path)
        ? this.#withStub({ path: shown, text: readText(path, shown) }, datasource, stub)
        : firstStub(datasource, stub);
      if (now === undefined)
        return `not recorded, because nothing can be added to ${shown}: write its datasources as lists without braces`;
      writeFileSync(path, now);
      this.wrote(path);
    } catch (error) {
      return `not recorded, because ${shown} cannot be written: ${reason(error)}`;
    }
    this.#read();
    return `recorded in ${shown}`;
  }

  #withStub(source: Source, datasource: string, stub: object): string | undefined {
    const { root, diagnostics } = readStubFile(source, this.#datasources);
    const isRight = diagnostics.every(({ severity }) => severity !== 'error');
    if (!isRight) return undefined;
    if (root !== undefined) return withStub(source, root, datasource, stub);
    // The file is empty or only contains comments.
    return source.text.replace(/(?<=[^\n])$/, '\n') + firstStub(datasource, stub);
  }

  /** Each request is played independently: the first matching stub is used, any number of times. */
  #play(
    datasource: string,
    request: StubRequest,
  ): { readonly response: StubResponse; readonly problem?: string } {
    const [first] = this.#stubs;
    if (first === undefined)
      return { response: { status: 501 }, problem: `${keyOf(datasource, request)}: no stub` };
    const node = { kind: 'map', entries: [], span: first.request.span } as const;
    const played = new StubbedApis(
      {
        stubs: this.#stubs.map((stub) => ({ ...stub, times: 1 })),
        mails: [],
        node,
        action: { kind: 'operation', operation: '', parameters: undefined, body: undefined },
      },
      new Map(),
    );
    const response = played.play(datasource, request);
    const problem = response.status === 501 ? played.failures()[0]?.message : undefined;
    return { response, ...(problem !== undefined && { problem }) };
  }
}

/** Settings of a stubbed third party whose variables have no value, such as keys in headers: the stubs do not need them. */
function missingSettings(
  datasource: Datasource,
  environment: DevStubsOptions['environment'],
): Record<string, string> {
  return Object.fromEntries(
    settingsOfDatasource(datasource).flatMap(({ suffix, text }): [string, string][] => {
      const setting = `DATASOURCE_${upperSnake(datasource.name.value)}_${suffix}`;
      const isMissing = referencesIn(text?.value ?? '').some(
        ({ name, fallback }) => fallback === undefined && environment[name] === undefined,
      );
      if (text === undefined || !isMissing || environment[setting] !== undefined) return [];
      if (suffix === 'SIGNATURE_SECRET') return [[setting, testSecret]];
      const value = replaceReferences(
        text.value,
        ({ name, fallback }) => environment[name] ?? fallback ?? 'test',
      );
      return [[setting, value]];
    }),
  );
}

/** The token endpoint of all stubbed third parties. */
const tokenPath = '/.token-of-stubs';
const tokenResponse: StubResponse = {
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ access_token: 'test-token', token_type: 'Bearer', expires_in: 3600 }),
};

function keyOf(datasource: string, { method, path }: StubRequest): string {
  return `${datasource}: ${method} ${path}`;
}

/** Paths of next-page URLs in response bodies. */
function nextPagesOf(datasource: string, operations: Config['operations']): Path[] {
  return operations.flatMap(({ fulfillments }) =>
    allFulfillments(fulfillments).flatMap(({ fulfillment }) => {
      if (!('instructions' in fulfillment) || fulfillment.datasource.value !== datasource) return [];
      return fulfillment.instructions.flatMap(({ action }) => {
        const pages = action !== undefined && 'url' in action ? action.pages : undefined;
        return pages === undefined || pages.next === 'link' || pages.parameter !== undefined
          ? []
          : [pages.next];
      });
    }),
  );
}

/** Includes the query, so that each page of a list is recorded separately. */
function targetOf(datasource: string, request: StubRequest): string {
  return `${keyOf(datasource, request)}?${request.query.toString()}`;
}

/** Undefined if the URL does not name a server. */
function originOf(url: string | undefined): string | undefined {
  return /^https?:\/\/[^/?#]+/.exec(url ?? '')?.[0];
}

/** The credentials of a datasource, both as configured and as sent. */
function secretsOf(
  datasource: Datasource,
  environment: Readonly<Record<string, string | undefined>>,
): Set<string> {
  const { name, url, user, password } = datasource;
  const { oauth2, signature } = asThirdParty(datasource) ?? {};
  const prefix = `DATASOURCE_${upperSnake(name.value)}`;
  const ofField = (field: string, written: string | undefined): string =>
    environment[`${prefix}_${field}`] ?? resolvedReferences(written ?? '', environment);
  const [account, secret] = [ofField('USER', user?.value), ofField('PASSWORD', password?.value)];
  const headers = headersOf(datasource).map(({ name: key, value }) =>
    ofField(`HEADER_${upperSnake(key.value)}`, value.value),
  );
  const own = [
    ofField('OAUTH2_CLIENT_SECRET', oauth2?.clientSecret?.value),
    ...(oauth2?.parameters ?? [])
      .filter(({ name: key }) => isSecretOption(key.value))
      .map(({ name: key, value }) => ofField(`OAUTH2_PARAMETERS_${upperSnake(key.value)}`, value.value)),
    ofField('SIGNATURE_SECRET', signature?.secret.value),
  ];
  // Includes variables in the URL, which may contain an account's key.
  const ofUrl = [...(url?.value ?? '').matchAll(/\$\{(\w+)/g)].flatMap(
    ([, variable = '']) => environment[variable] ?? [],
  );
  const all = [secret, Buffer.from(`${account}:${secret}`).toString('base64'), ...headers, ...own, ...ofUrl];
  const words = all.flatMap((text) => [text, ...text.split(' ')]);
  return new Set(words.filter((text) => text !== '' && !/^(?:basic|bearer|digest|token)$/i.test(text)));
}

/** The path of the base URL, which relative URLs are appended to. */
function pathOf(url: string | undefined): string {
  const path = url === undefined ? undefined : /^https?:\/\/[^/]+(\/[^?#]*)/.exec(url)?.[1];
  return path?.replace(/\/$/, '') ?? '';
}
