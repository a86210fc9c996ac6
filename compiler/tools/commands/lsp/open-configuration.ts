/** A configuration that is open in an editor, with the analysis of its latest text. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Analysis } from '../../../analyze/operations/analysis.js';
import { databaseNames } from '../../../analyze/operations/statements/databases.js';
import { OpenSchemas } from '../../../analyze/database/open-schemas.js';
import type { Databases } from '../../../analyze/operations/statements/statement-descriptions.js';
import { checkWithDatabases, type Examined, type Input } from '../../../compile.js';
import type { Config } from '../../../read/config/config-model.js';
import { readConfig } from '../../../read/config/read-config.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { Recording } from '../../../read/diagnostics/recording.js';
import { CompilationCache } from '../../../generate/emit/compilation-cache.js';
import { focusAt } from '../../editor/focus.js';
import { exportOf } from '../../typescript/exported-function.js';
import { ResultsCache } from '../../editor/results-cache.js';
import type { FindSchema } from '../../editor/schema/sql-name.js';
import { ThirdPartyCache } from '../../../read/openapi/third-party/named-descriptions.js';
import { findDescription, findThirdParty } from '../shared/files/description.js';
import { oneFile, type FindIncluded } from '../../../read/config/include/included-files.js';
import { findIncluded, isIncluded } from '../shared/files/find-included.js';
import type { Source } from '../../../read/source.js';
import { findDatabases, schemasOf } from '../shared/files/find-schemas.js';
import { headersOfMiddleware } from '../shared/owner/headers-of-middleware.js';
import { importsOfOwner, ownSources, serviceFolder } from '../shared/owner/own-files.js';
import { type Place, readText } from '../shared/files/read-text.js';

/** The content of a file that is open in an editor; undefined if the file is not open. */
export type OpenText = (absolute: string) => string | undefined;

/** A file of a configuration with its text in the editor: the configuration itself, or an included file. */
export interface EditedText {
  /** Absolute path. */
  readonly path: string;
  readonly text: string;
}

/** The analysis of a whole configuration, or of the part needed by one operation. */
export interface View {
  /** The file being viewed. */
  readonly source: Source;
  readonly analysis: Analysis | undefined;
  /** Finds the SQL files that define a datasource's tables. */
  readonly schema: FindSchema;
  /** Converts offsets of the file to offsets of `source`, and back. */
  readonly into: (offset: number) => number;
  readonly back: (offset: number) => number;
}

const same = (offset: number): number => offset;

export class OpenConfiguration {
  readonly #results = new ResultsCache();
  readonly #cache = new CompilationCache();
  /** Analyses run one after another, because the cache belongs to a single text. */
  #last: Promise<unknown> = Promise.resolve();
  /** The latest text; the object stays the same while the text does. */
  #source: Source;
  /** The file viewed last, if it is an included file. */
  #included: EditedText | undefined;
  #whole: Examined | undefined;
  /** Number of changes to other files. */
  #changes = 0;
  /** Absolute paths of the files included in the last analysis. */
  #files: ReadonlySet<string> = new Set();
  #focused: { readonly key: string; readonly examined: Promise<Examined> } | undefined;

  constructor(
    /** Absolute path. */
    readonly path: string,
    private readonly openText: OpenText,
    /** Schemas shared by all configurations. */
    private readonly schemas = new OpenSchemas(),
  ) {
    this.#source = { path, text: '' };
  }

  /** All diagnostics that `check` would report, given this text of one of the files. */
  diagnostics(file: EditedText): Promise<readonly Diagnostic[]> {
    return this.#inTurn(async () => {
      this.#read(file);
      const { diagnostics } = await this.#examine(this.#results.listenTo(this.#databases()));
      return diagnostics;
    });
  }

  /** Computes a result for the whole configuration; `compute` must not keep the view. */
  whole<Result>(file: EditedText, compute: (view: View) => Result): Promise<Result> {
    return this.#inTurn(async () => {
      this.#read(file);
      const { analysis } = this.#whole ?? (await this.#examine(this.#results));
      const source = this.#sourceIn(analysis, file);
      return compute({ source, analysis, schema: this.#schemaOf(analysis), into: same, back: same });
    });
  }

  /** Computes a result from the readable part of the configuration, without checks. */
  outline<Result>(compute: (config: Config) => Result): Promise<Result | undefined> {
    return this.#inTurn(() => {
      const source = { path: this.path, text: this.#textOf(this.path, this.path) };
      const files = { ...oneFile, find: this.#find() };
      const known = this.#isCurrent(source) ? this.#whole?.analysis?.config : undefined;
      const config = known ?? readConfig(source, new Recording(), files);
      return Promise.resolve(config && compute(config));
    });
  }

  /** Computes a result for the operation at the offset; fast regardless of the file's size. */
  async at<Result>(file: EditedText, offset: number, compute: (view: View) => Result): Promise<Result> {
    const focus = file.path === this.path ? focusAt(file.text, offset) : undefined;
    if (focus === undefined) return this.whole(file, compute);
    if (this.#focused?.key !== focus.text) {
      const source = { path: this.path, text: focus.text };
      this.#focused = { key: focus.text, examined: checkWithDatabases(this.#input(source), this.#results) };
    }
    const { analysis } = await this.#focused.examined;
    const source = this.#sourceIn(analysis, { path: file.path, text: focus.text });
    const schema = this.#schemaOf(analysis);
    return compute({ source, analysis, schema, into: focus.into, back: focus.back });
  }

  /** Names of the variables in the `.env` next to the configuration. */
  variables(): readonly string[] {
    const path = join(dirname(this.path), '.env');
    if (!existsSync(path)) return [];
    const lines = this.#textOf(path, path).matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=/gm);
    return [...lines].map(([, name = '']) => name);
  }

  /** Names of the functions in the service's `src/code`. */
  functions(): readonly string[] {
    const files = this.ownFiles();
    return files.flatMap(({ path }) => {
      const [, name] = /^src\/code\/(\w+)\.ts$/.exec(path) ?? [];
      return name !== undefined && exportOf(name, files) !== undefined ? [name] : [];
    });
  }

  /** The folder of the service, which may not exist. */
  get serviceFolder(): string {
    return serviceFolder(undefined, this.#place);
  }

  /** User files in the service's folder, by relative path, with the editor's texts. */
  ownFiles(): readonly Source[] {
    const folder = this.serviceFolder;
    return ownSources(folder).map(({ path, text }) => ({
      path,
      text: this.openText(join(folder, path)) ?? text,
    }));
  }

  /** Whether the configuration includes the file. */
  includes(file: string): boolean {
    const source = { path: this.path, text: this.#textOf(this.path, this.path) };
    return isIncluded(file, source, this.#find());
  }

  /** Whether the file was part of the last analysis. */
  has(file: string): boolean {
    return file === this.path || this.#files.has(file);
  }

  /** Call after changes to other files: earlier results are then outdated. */
  forget(): void {
    this.#changes += 1;
    this.#whole = undefined;
    this.#focused = undefined;
  }

  /** Runs one after another: the cache belongs to the latest text, and its spans refer to that text. */
  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(run, run);
    this.#last = result;
    return result;
  }

  async #examine(databases: Databases): Promise<Examined> {
    const changes = this.#changes;
    const examined = await checkWithDatabases(this.#input(this.#source), databases, this.#cache);
    const { config } = examined.analysis ?? {};
    if (config !== undefined) this.#files = new Set(config.included.map(({ path }) => this.#absolute(path)));
    this.#whole = changes === this.#changes ? examined : undefined;
    return examined;
  }

  /** Makes the file's text the latest one. */
  #read(file: EditedText): void {
    const isOwn = file.path === this.path;
    this.#included = isOwn ? undefined : file;
    const text = isOwn ? file.text : this.#textOf(this.path, this.path);
    if (this.#source.text === text && this.#isCurrent(file)) return;
    if (this.#source.text !== text) this.#source = { path: this.path, text };
    this.#whole = undefined;
  }

  /** Whether the last analysis used this text of the file, and the current texts of other open files. */
  #isCurrent(file: EditedText): boolean {
    const { source, included = [] } = this.#whole?.analysis?.config ?? {};
    return [...(source === undefined ? [] : [source]), ...included].every(({ path, text }) => {
      const absolute = this.#absolute(path);
      return text === (absolute === file.path ? file.text : (this.openText(absolute) ?? text));
    });
  }

  #absolute(path: string): string {
    return resolve(dirname(this.path), path);
  }

  /** The file in the analysis; a detached source if nothing could be read. */
  #sourceIn(analysis: Analysis | undefined, { path, text }: EditedText): Source {
    const { source, included } = analysis?.config ?? { source: undefined, included: [] };
    const folder = dirname(this.path);
    const found = [...(source === undefined ? [] : [source]), ...included].find(
      (one) => this.#absolute(one.path) === path && one.text === text,
    );
    return found ?? { path, text, ...(path === this.path ? {} : { includedAs: relative(folder, path) }) };
  }

  #find(): FindIncluded {
    return findIncluded(this.#place);
  }

  #input(config: Source): Input {
    const description = findDescription(undefined, this.#place);
    const folder = serviceFolder(undefined, this.#place);
    const ownHeaders = headersOfMiddleware(folder, this.#place);
    const thirdPartyCache = this.#cache.part(ThirdPartyCache);
    return {
      config,
      include: this.#find(),
      ownHeaders,
      ...importsOfOwner(folder),
      thirdParty: findThirdParty(this.#place),
      thirdPartyCache,
      ...(description && { description }),
    };
  }

  #databases(): Databases {
    return schemasOf({ openSchemas: this.schemas }, this.#place);
  }

  #schemaOf(analysis: Analysis | undefined): FindSchema {
    const find = findDatabases({}, this.#place);
    const names = databaseNames(analysis?.config.datasources ?? []);
    return (datasource) => {
      const found = find(datasource, names);
      return found?.kind === 'schema' ? found.sources : [];
    };
  }

  /** Editors report file changes, so files are not noted. */
  get #place(): Place {
    return { config: this.path, folder: dirname(this.path), read: this.#textOf };
  }

  /** The viewed file and open editor buffers take precedence over files on disk. */
  readonly #textOf = (absolute: string, shown: string): string =>
    this.#included?.path === absolute
      ? this.#included.text
      : (this.openText(resolve(absolute)) ?? readText(absolute, shown));
}
