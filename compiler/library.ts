/** The compiler as a library: `import { compile } from 'apikiln'`. The types here are public, see docs/reference/library.md. */
import { posix } from 'node:path';
import { DiskCache } from './analyze/database/disk-cache.js';
import { SchemaDatabases, type FindDatabase } from './analyze/database/schema-databases.js';
import { compile as compileInput } from './compile.js';
import { readAssets } from './generate/assets.js';
import { isServiceName, serviceNameRule } from './generate/emit/service/service-name.js';
import { kubernetesExtras, runtimeSources, targets } from './generate/emit/service/target.js';
import { isArchive } from './generate/write/archive.js';
import { matchesPath } from './read/config/include/patterns.js';
import { quotedList } from './read/diagnostics/quoted-list.js';
import type { JsonDiagnostic } from './read/diagnostics/print/json-diagnostic.js';
import { jsonOf } from './read/diagnostics/print/print-json.js';
import type { DescriptionInput } from './read/openapi/documents.js';
import type { Source } from './read/source.js';
import { ownFirst } from './tools/commands/shared/files/find-schemas.js';
import { packageFolder } from './tools/commands/shared/files/package-folder.js';

export type { JsonDiagnostic, JsonFix, JsonRange } from './read/diagnostics/print/json-diagnostic.js';

export interface CompileOptions {
  /**
   * The other files of the configuration's folder, by path: the API description (`openapi.yaml`, `openapi.yml` or `openapi.json`), the
   * schema (`schema.sql`, or `schema.<datasource>.sql` with several databases), included files, and descriptions of third parties. Paths
   * are relative and have slashes: `operations/news.yaml`.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** The name of the service, of up to 27 characters; `service` by default. */
  readonly name?: string;
  /** `kubernetes` adds manifests; `docker` by default. */
  readonly target?: 'docker' | 'kubernetes';
  /** Additional Kubernetes objects. */
  readonly extras?: readonly ('ingress' | 'network-policy' | 'pod-monitor')[];
  /** The source of the runtime package: a tarball in the service's folder (`vendor`, the default), or the registry. */
  readonly runtime?: 'vendor' | 'registry';
}

export interface CompileResult {
  /** The files of the service, sorted by path; undefined if there are errors. */
  readonly files: readonly OutputFile[] | undefined;
  /** Errors and warnings, in the order of their positions. */
  readonly diagnostics: readonly JsonDiagnostic[];
}

export interface OutputFile {
  /** The path relative to the service's folder, with slashes. */
  readonly path: string;
  /** The bytes of an archive; the text of any other file. */
  readonly content: string | Uint8Array;
  /**
   * `generated`: replaced by every build; `once`: written only if the file does not exist, then edited by users; `secret`: values that
   * must not be committed; `packages`: package.json and its lock file, which npm also changes.
   */
  readonly kind: 'generated' | 'once' | 'secret' | 'packages';
}

/**
 * Compiles a configuration, given as the text of a `config.yaml`. The same arguments always have the same result. Reads only files of this
 * package, and writes none. Throws a TypeError for arguments that are not valid; mistakes in the files are diagnostics.
 */
export async function compile(config: string, options: CompileOptions = {}): Promise<CompileResult> {
  checkArguments(config, options);
  const { files = {}, name, target, extras, runtime } = options;
  const folder = new Folder(files);
  const description = folder.description();
  const compiled = await compileInput(
    {
      config: { path: configName, text: config },
      include: (pattern) => folder.matching(pattern),
      ...(description && { description }),
      thirdParty: (file) => folder.thirdParty(file),
      ...(name !== undefined && { name }),
      ...(target && { target }),
      ...(extras && { extras }),
      ...(runtime && { runtimeSource: runtime }),
    },
    readAssets(packageFolder()),
    undefined,
    new SchemaDatabases(folder.schemas, new DiskCache(undefined)),
  );
  return {
    files: compiled.files?.map(({ path, text, kind }) => ({
      path,
      content: isArchive(path) ? new Uint8Array(Buffer.from(text, 'latin1')) : text,
      kind,
    })),
    diagnostics: compiled.diagnostics.map(jsonOf),
  };
}

const configName = 'config.yaml';

/** The values of options with a few strings. */
const choices = { target: targets, runtime: runtimeSources };

const optionNames = ['files', 'name', ...Object.keys(choices), 'extras'];

/** Programs in JavaScript can pass anything. An ignored option would be found only in the service. */
function checkArguments(config: unknown, options: unknown): void {
  if (typeof config !== 'string') throw new TypeError('The configuration is not a string.');
  if (!isMap(options)) throw new TypeError('The options are not an object.');
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined)
    throw new TypeError(`'${unknown}' is not an option. The options are ${quotedList(optionNames)}.`);
  const { files, name, target, extras } = options;
  if (files !== undefined && !isMap(files))
    throw new TypeError("The option 'files' is not an object with a string for each path.");
  if (name !== undefined && (typeof name !== 'string' || !isServiceName(name)))
    throw new TypeError(`'${shown(name)}' cannot be the name of a service. ${serviceNameRule}`);
  for (const [key, values] of Object.entries(choices))
    if (options[key] !== undefined) checkChoice(key, options[key], values);
  if (extras === undefined) return;
  if (!Array.isArray(extras)) throw new TypeError("The option 'extras' is not a list.");
  for (const extra of extras as readonly unknown[]) checkChoice('extras', extra, kubernetesExtras);
  if (extras.length > 0 && target !== 'kubernetes')
    throw new TypeError("The option 'extras' is for the target 'kubernetes'.");
}

function checkChoice(key: string, value: unknown, values: readonly string[]): void {
  if (typeof value !== 'string' || !values.includes(value))
    throw new TypeError(`'${shown(value)}' is not a value of the option '${key}': ${quotedList(values)}.`);
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined;
  return typeof value === 'string' ? value : (json ?? typeof value);
}

/** Whether the value is an object whose keys are names. */
function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !(value instanceof Map);
}

/** The files of a configuration's folder, of which only `config.yaml` is not in the map. */
class Folder {
  readonly #files: ReadonlyMap<string, string>;

  /** Throws a TypeError for a path that is not inside the folder, and for a file that is not a string. */
  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries<unknown>(files)) {
      if (typeof text !== 'string') throw new TypeError(`The file '${path}' is not a string.`);
      if (path.split('/').some((name) => /^\.{0,2}$|[\\\0]/.test(name)) || path === configName)
        throw new TypeError(`'${path}' is not the path of another file in the folder of the configuration.`);
    }
    this.#files = new Map(Object.entries(files));
  }

  description(): DescriptionInput | undefined {
    const [found, ...others] = ['openapi.yaml', 'openapi.yml', 'openapi.json'].filter((name) =>
      this.#files.has(name),
    );
    const source = found === undefined ? undefined : this.#read(found);
    return source && source !== 'private' ? { source, read: (path) => this.#read(path), others } : undefined;
  }

  thirdParty(file: string): DescriptionInput | 'private' | undefined {
    const source = this.#read(file);
    if (source === undefined || source === 'private') return source;
    return { source, read: (path) => this.#read(posix.join(posix.dirname(file), path)) };
  }

  matching(pattern: string): { name: string; id: string; read: () => Source }[] {
    return [...this.#files]
      .filter(([path]) => matchesPath(pattern, path))
      .map(([path, text]) => ({ name: path, id: path, read: () => ({ path, text }) }));
  }

  readonly schemas: FindDatabase = (name, databases) => {
    const own = ownFirst(name, databases).map((datasource) => `schema.${datasource}.sql`);
    const sources = [...own, ...(databases.length === 1 ? ['schema.sql'] : [])].flatMap((path) => {
      const text = this.#files.get(path);
      return text === undefined ? [] : [{ path, text }];
    });
    const [first] = sources;
    return first && { kind: 'schema', sources: [first] };
  };

  #read(path: string): Source | 'private' | undefined {
    const normal = posix.normalize(path);
    if (normal === configName || normal.split('/').some((name) => /^\.[^.]/.test(name))) return 'private';
    const text = this.#files.get(normal);
    return text === undefined ? undefined : { path: normal, text };
  }
}
