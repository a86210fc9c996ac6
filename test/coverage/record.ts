/** Records which sources of the project run in a Vitest process: after each test file, everything executed so far. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session, type Debugger, type Profiler } from 'node:inspector';
import { join, relative } from 'node:path';
import { afterAll } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { Reached } from './reached.js';
import { eachPlace, lineStarts, mapScript, type MappedScript, type Mappings } from './source-positions.js';

const folder = process.env['COVERAGE_FOLDER'] ?? '';

class Recorder {
  readonly #session = new Session();
  readonly #urls = new Map<string, Debugger.ScriptParsedEventDataType>();
  readonly #scripts = new Map<string, MappedScript | undefined>();
  readonly #reached = new Reached();

  start(): void {
    this.#session.connect();
    this.#session.on('Debugger.scriptParsed', ({ params }) => {
      if (this.#isOwn(params.url)) this.#urls.set(params.scriptId, params);
    });
    this.#session.post('Debugger.enable');
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Adds the code executed since the last call, and writes all coverage. */
  take(): void {
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error) throw error;
      for (const script of taken.result) this.#add(script);
    });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `worker-${process.pid}.json`), this.#reached.toJson());
  }

  #isOwn(url: string): boolean {
    return /^(?:compiler|runtime)\//.test(relative(repository, url.replace(/^file:\/\//, '')));
  }

  #add({ scriptId, url, functions }: Profiler.ScriptCoverage): void {
    if (!this.#isOwn(url)) return;
    if (!this.#scripts.has(scriptId)) this.#scripts.set(scriptId, this.#mapped(scriptId));
    const script = this.#scripts.get(scriptId);
    if (script === undefined) return;
    const path = relative(repository, url.replace(/^file:\/\//, ''));
    eachPlace(script, functions, (_, position, isReached) => {
      this.#reached.add(path, position, isReached);
    });
  }

  #mapped(scriptId: string): MappedScript | undefined {
    const url = this.#urls.get(scriptId)?.sourceMapURL ?? '';
    const [, data] = /^data:application\/json;[^,]*base64,(.*)$/.exec(url) ?? [];
    if (data === undefined) return undefined;
    const map = JSON.parse(Buffer.from(data, 'base64').toString()) as Mappings;
    let text = '';
    this.#session.post('Debugger.getScriptSource', { scriptId }, (error, source) => {
      if (error) throw error;
      text = source.scriptSource;
    });
    // Vitest wraps each module in a function that begins on the module's first line.
    const wrapper = /^.*?\{\{/.exec(text)?.[0].length ?? 0;
    const [, ...others] = lineStarts(text);
    return mapScript(map, [wrapper, ...others]);
  }
}

declare global {
  var coverageRecorder: Recorder | undefined;
}

if (globalThis.coverageRecorder === undefined) {
  globalThis.coverageRecorder = new Recorder();
  globalThis.coverageRecorder.start();
}

afterAll(() => {
  globalThis.coverageRecorder?.take();
});
