/** The third parties of `apikiln dev`: what `config.stubs.yaml` says is answered on this machine. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { upperSnake } from '../../runtime/server/upper-snake.js';
import type { Datasource } from '../config/config-model.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { StubServer, type StubAnswer, type StubRequest } from '../local/stub-server.js';
import { PlayedThirdParties } from '../testing/played-third-parties.js';
import { readStubFile } from '../testing/read-stub-file.js';
import type { Stub } from '../testing/test-model.js';
import type { NoteFile } from './description.js';
import { resolved } from './dev-databases.js';
import { readText } from './read-text.js';

export interface DevStubsOptions {
  /** The absolute path of the configuration. */
  readonly config: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly note: NoteFile;
}

export interface PreparedStubs {
  readonly settings: Readonly<Record<string, string>>;
  readonly news: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export class DevStubs {
  readonly #servers = new Map<string, StubServer>();
  #stubs: readonly Stub[] = [];
  #told = '';

  constructor(private readonly tell: (line: string) => void) {}

  /** The same servers answer all versions of the service; with mistakes in the file the answers stay what they were. */
  async prepare(datasources: readonly Datasource[], options: DevStubsOptions): Promise<PreparedStubs> {
    const { config, folder, environment, note } = options;
    const path = join(dirname(config), `${basename(config).replace(/\.ya?ml$/i, '')}.stubs.yaml`);
    note(path);
    const shown = relative(folder, path);
    const { stubs, diagnostics } = existsSync(path)
      ? readStubFile({ path: shown, text: readText(path, shown) }, datasources)
      : { stubs: [], diagnostics: [] };
    if (diagnostics.every(({ severity }) => severity !== 'error')) this.#stubs = stubs;
    const settings: Record<string, string> = {};
    const names: string[] = [];
    for (const { name, url } of datasources) {
      const variable = `DATASOURCE_${upperSnake(name.value)}_URL`;
      // A server that somebody has named comes first, as with databases.
      if (environment[variable] || !this.#stubs.some(({ datasource }) => datasource === name.value)) continue;
      const server =
        this.#servers.get(name.value) ??
        (await StubServer.start((request) => this.#play(name.value, request)));
      this.#servers.set(name.value, server);
      settings[variable] = `${server.url}${pathOf(url && resolved(url.value, environment))}`;
      names.push(name.value);
    }
    const line = names.length === 0 ? '' : `${names.join(', ')}: stubs of ${shown}`;
    const news = line === this.#told || line === '' ? [] : [line];
    this.#told = line;
    return { settings, news, diagnostics };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
  }

  /** Each request by itself: however often it comes, the first stub that fits it answers. */
  #play(datasource: string, request: StubRequest): StubAnswer {
    const [first] = this.#stubs;
    if (first === undefined) return { status: 501 };
    const node = { kind: 'map', entries: [], place: first.request.place } as const;
    const played = new PlayedThirdParties(
      {
        stubs: this.#stubs.map((stub) => ({ ...stub, times: 1 })),
        node,
        action: { kind: 'operation', operation: '', parameters: undefined, body: undefined },
      },
      new Map(),
    );
    const answer = played.play(datasource, request);
    if (answer.status === 501) {
      const [problem] = played.failures();
      if (problem !== undefined) this.tell(`  ${problem.message}`);
    }
    return answer;
  }
}

/** The path of the base URL, behind which relative URLs are. */
function pathOf(url: string | undefined): string {
  const path = url === undefined ? undefined : /^https?:\/\/[^/]+(\/[^?#]*)/.exec(url)?.[1];
  return path?.replace(/\/$/, '') ?? '';
}
