/** The worker in which the generated service runs: the real runtime and the real driver, on a PostgreSQL in this worker. */
import { nodeProcess, printed } from './node/globals.js';
import type { PGlite } from '@electric-sql/pglite';
import { transform } from 'sucrase';
import { runtimeParts } from 'runtime-parts';
import type { Trace } from '../../runtime/trace/steps.js';
import type { FromService, Project, ShownFile, ToService } from './messages.js';
import { files as serviceFiles } from './node/files.js';
import { receive } from './node/http.js';
import { connectSockets } from './node/net.js';
import { openPostgres } from './open-postgres.js';

/** The header with the id of a trace. */
const traceHeader = 'X-Trace-Id';

let database: PGlite | undefined;
/** One message after the other. */
let last: Promise<unknown> = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<ToService>) => {
  last = last.then(async () => {
    try {
      if (data.kind === 'start') {
        await start(data.files, data.project);
        post({ kind: 'started', id: data.id });
      } else {
        post({ kind: 'responded', id: data.id, ...(await respond(data)) });
      }
    } catch (error) {
      post({ kind: 'failed', id: data.id, message: [messageOf(error), ...printed].join('\n') });
    }
  });
});

function post(message: FromService): void {
  postMessage(message);
}

type Responded = Pick<Extract<FromService, { kind: 'responded' }>, 'response' | 'milliseconds' | 'trace'>;

/** The response without the header of its trace, which is the page's own. */
async function respond({
  request,
  isTraced = false,
}: Extract<ToService, { kind: 'request' }>): Promise<Responded> {
  const begin = performance.now();
  const headers = isTraced ? { ...request.headers, 'X-Trace': '1' } : request.headers;
  const response = await receive({ ...request, headers });
  const milliseconds = performance.now() - begin;
  const id = response.headers.find(([name]) => name === traceHeader)?.[1];
  if (id === undefined) return { response, milliseconds };
  const { body } = await receive({ method: 'GET', url: `/docs-ui/trace/${id}`, headers: {} });
  const shown = response.headers.filter(([name]) => name !== traceHeader);
  return { response: { ...response, headers: shown }, milliseconds, trace: JSON.parse(body) as Trace };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function start(generated: readonly ShownFile[], project: Project): Promise<void> {
  printed.length = 0;
  if (database === undefined) {
    const opened = await openPostgres();
    await opened.exec(project['schema.sql']);
    await opened.exec(project['seed.sql']);
    // PGlite ignores the settings with which pg connects.
    await opened.exec("SET TimeZone = 'UTC'");
    connectSockets((message) => opened.execProtocolRaw(message));
    database = opened;
  }
  setEnvironment(generated, project);
  const sources = new Map(
    generated
      .filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts'))
      .map(({ path, text }) => [path.replace(/\.ts$/, '.js'), text]),
  );
  await new Modules(sources, await partsIn([...sources.values()])).run('src/main.js');
}

/** All databases of the configuration are the one of this worker. Other settings are values of the configuration, and those of `.env`. */
function setEnvironment(generated: readonly ShownFile[], project: Project): void {
  const textOf = (name: string): string => generated.find(({ path }) => path === name)?.text ?? '';
  const names = [...textOf('.env.example').matchAll(/(DATASOURCE_\w+?)(?<!_REPLICA)_URL=/g)];
  const databases = names.flatMap(([, name = '']) => [
    [`${name}_URL`, 'jdbc:postgresql://localhost:5432/postgres?prepareThreshold=0'],
    [`${name}_USER`, 'postgres'],
    [`${name}_PASSWORD`, 'playground'],
    [`${name}_POOL_MAX`, '1'],
  ]);
  nodeProcess.env = { PORT: '8080', ...Object.fromEntries(databases) } as Record<string, string>;
  serviceFiles.set('/service/.env', `${textOf('.env')}\n${project['.env']}`);
}

/** The parts of the runtime that the modules import, by their names. */
async function partsIn(texts: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
  const names = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/from '(@apikiln\/runtime[^']*)'/g)].map(([, name = '']) => name),
    ),
  );
  const loaded = [...names].map(async (name) => {
    const load = runtimeParts[name];
    if (load === undefined)
      throw new Error(`The playground does not have ${name}: it needs a network or packages of Node`);
    return [name, await load()] as const;
  });
  return new Map(await Promise.all(loaded));
}

/** The generated modules as CommonJS, loaded on first use. */
class Modules {
  readonly #loaded = new Map<string, unknown>();

  constructor(
    private readonly sources: ReadonlyMap<string, string>,
    private readonly parts: ReadonlyMap<string, unknown>,
  ) {}

  /** Runs the first module, which awaits. */
  async run(path: string): Promise<void> {
    const Async = Object.getPrototypeOf(async () => undefined).constructor as FunctionConstructor;
    const run = new Async('require', 'module', 'exports', this.code(path));
    await (run as (...values: unknown[]) => Promise<void>)(this.requireFrom(path), {}, {});
  }

  private code(path: string): string {
    const text = this.sources.get(path);
    if (text === undefined) throw new Error(`There is no module ${path}`);
    const { code } = transform(text, {
      transforms: ['typescript', 'imports'],
      production: true,
      disableESTransforms: true,
      filePath: path,
    });
    return code.replaceAll('import.meta.url', JSON.stringify(`file:///service/${path}`));
  }

  private requireFrom(from: string): (name: string) => unknown {
    return (name) => {
      if (!name.startsWith('.')) {
        if (!this.parts.has(name)) throw new Error(`The playground does not have the package ${name}`);
        return this.parts.get(name);
      }
      const path = new URL(name, `file:///${from}`).pathname.slice(1);
      const known = this.#loaded.get(path);
      if (known !== undefined) return known;
      const module = { exports: {} };
      this.#loaded.set(path, module.exports);
      const run = new Function('require', 'module', 'exports', this.code(path)) as (
        ...values: unknown[]
      ) => void;
      run(this.requireFrom(path), module, module.exports);
      return module.exports;
    };
  }
}
