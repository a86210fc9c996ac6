/**
 * Coverage of child processes: files written by Node for NODE_V8_COVERAGE, of the bundled command-line tool and of services, mapped to the
 * sources.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repository } from '../helpers/service-fixture.js';
import { filesBelow } from '../project/sources.js';
import type { Reached } from './reached.js';
import { eachPlace, mapScript, type Mappings } from './source-positions.js';

/** A coverage file written by Node: the executed code, and the source maps of the scripts. */
interface Written {
  readonly result: readonly Profiler.ScriptCoverage[];
  readonly 'source-map-cache'?: Readonly<
    Record<string, { readonly lineLengths: readonly number[]; readonly data: Mappings | null }>
  >;
}

export function addChildren(folder: string, reached: Reached): void {
  if (!existsSync(folder)) return;
  const own = new Set([...filesBelow('compiler'), ...filesBelow('runtime')]);
  for (const name of readdirSync(folder)) {
    const { result, 'source-map-cache': maps = {} } = read(join(folder, name));
    for (const { url, functions } of result) {
      const cached = maps[url];
      if (cached?.data == null) continue;
      const script = mapScript(cached.data, startsOf(cached.lineLengths));
      const root = cached.data.sourceRoot ?? '';
      const paths = script.sources.map((source) => ownPath(url, `${root}${source ?? ''}`, own));
      if (paths.every((path) => path === undefined)) continue;
      eachPlace(script, functions, (source, position, isReached) => {
        const path = paths[source];
        if (path !== undefined) reached.add(path, position, isReached);
      });
    }
  }
}

/** A process killed while writing leaves a truncated file. */
function read(path: string): Written {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Written;
  } catch {
    return { result: [] };
  }
}

function startsOf(lengths: readonly number[]): number[] {
  let start = 0;
  return lengths.map((length) => {
    const own = start;
    start += length + 1;
    return own;
  });
}

/** The repository path of a source, or of the file copied into a service's runtime. */
function ownPath(url: string, source: string, own: ReadonlySet<string>): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = source.startsWith('file:')
    ? fileURLToPath(source)
    : resolve(dirname(fileURLToPath(url)), source);
  const path = relative(repository, file);
  if (own.has(path)) return path;
  const [, ofRuntime] = /\/runtime\/(?:src|dist)\/(.*)$/.exec(file) ?? [];
  return ofRuntime !== undefined && own.has(`runtime/${ofRuntime}`) ? `runtime/${ofRuntime}` : undefined;
}
