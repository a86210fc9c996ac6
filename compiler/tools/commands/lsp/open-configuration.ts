/** A configuration that an editor has open, with the analysis of its newest text. */
import { dirname, relative, resolve } from 'node:path';
import type { Analysis } from '../../../analyze/operations/analysis.js';
import type { Databases } from '../../../analyze/operations/statement-descriptions.js';
import { checkWithDatabases, type Examined, type Input } from '../../../compile.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { CompilationCache } from '../../../generate/emit/compilation-cache.js';
import { focusAt } from '../../editor/focus.js';
import { ResultsCache } from '../../editor/results-cache.js';
import { ThirdPartyCache } from '../../../read/openapi/third-party/named-descriptions.js';
import { findDescription, findThirdParty } from '../shared/description.js';
import type { FindIncluded } from '../../../read/config/include/included-files.js';
import { findIncluded, isIncluded } from '../shared/include/find-included.js';
import type { Source } from '../../../read/source.js';
import { schemasOf } from '../shared/find-schemas.js';
import { headersOfMiddleware } from '../shared/headers-of-middleware.js';
import { serviceFolder } from '../shared/own-files.js';
import { readText } from '../shared/read-text.js';

/** The text of a file as an editor has it open; undefined where it is not open. */
export type OpenText = (absolute: string) => string | undefined;

/** A file of a configuration with the text that an editor has: the configuration itself, or one that it includes. */
export interface EditedText {
  /** Its absolute path. */
  readonly path: string;
  readonly text: string;
}

/** The analysis of a whole configuration, or of the part of it that one operation needs. */
export interface View {
  /** The file that is looked at. */
  readonly source: Source;
  readonly analysis: Analysis | undefined;
  /** From an offset in the file to one in `source`, and back. */
  readonly into: (offset: number) => number;
  readonly back: (offset: number) => number;
}

const same = (offset: number): number => offset;

export class OpenConfiguration {
  readonly #results = new ResultsCache();
  readonly #cache = new CompilationCache();
  /** Examinations follow each other: the cache is of one text at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** The newest text, always the same object for the same text. */
  #source: Source;
  /** The file that was looked at last, if it is included. */
  #included: EditedText | undefined;
  #whole: Examined | undefined;
  #focused: { readonly key: string; readonly examined: Promise<Examined> } | undefined;

  constructor(
    /** Its absolute path. */
    readonly path: string,
    private readonly openText: OpenText,
  ) {
    this.#source = { path, text: '' };
  }

  /** All diagnostics, as `check` would find them, with that text of one of its files. */
  diagnostics(file: EditedText): Promise<readonly Diagnostic[]> {
    return this.#inTurn(async () => {
      this.#read(file);
      const databases = this.#results.listenTo(this.#databases());
      return (await checkWithDatabases(this.#input(this.#source), databases, this.#cache)).diagnostics;
    });
  }

  /** Computes a result for the whole configuration; `compute` must not keep the view. */
  whole<Result>(file: EditedText, compute: (view: View) => Result): Promise<Result> {
    return this.#inTurn(async () => {
      this.#read(file);
      this.#whole ??= await checkWithDatabases(this.#input(this.#source), this.#results, this.#cache);
      const { analysis } = this.#whole;
      return compute({ source: this.#sourceIn(analysis, file), analysis, into: same, back: same });
    });
  }

  /** Computes a result for the operation at the offset: quick, however large the file is. */
  async at<Result>(file: EditedText, offset: number, compute: (view: View) => Result): Promise<Result> {
    const focus = file.path === this.path ? focusAt(file.text, offset) : undefined;
    if (focus === undefined) return this.whole(file, compute);
    if (this.#focused?.key !== focus.text) {
      const source = { path: this.path, text: focus.text };
      this.#focused = { key: focus.text, examined: checkWithDatabases(this.#input(source), this.#results) };
    }
    const { analysis } = await this.#focused.examined;
    const source = this.#sourceIn(analysis, { path: file.path, text: focus.text });
    return compute({ source, analysis, into: focus.into, back: focus.back });
  }

  /** Whether it includes the file. */
  includes(file: string): boolean {
    const source = { path: this.path, text: this.#textOf(this.path, this.path) };
    return isIncluded(file, source, this.#find());
  }

  /** Other files have changed: results that were found with them no longer count. */
  forget(): void {
    this.#whole = undefined;
    this.#focused = undefined;
  }

  /** One after the other: the cache belongs to the newest text, and its spans are spans of that text. */
  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(run, run);
    this.#last = result;
    return result;
  }

  /** From now on its text is the newest one. */
  #read(file: EditedText): void {
    const isOwn = file.path === this.path;
    const text = isOwn ? file.text : this.#textOf(this.path, this.path);
    const before = this.#included;
    this.#included = isOwn ? undefined : file;
    // What was looked at may not have been the text of its buffer.
    if (before?.path !== this.#included?.path || before?.text !== this.#included?.text)
      this.#whole = undefined;
    if (this.#source.text === text) return;
    this.#source = { path: this.path, text };
    this.#whole = undefined;
  }

  /** The file in the analysis; one that is not part of it where nothing could be read. */
  #sourceIn(analysis: Analysis | undefined, { path, text }: EditedText): Source {
    const { source, included } = analysis?.config ?? { source: undefined, included: [] };
    const folder = dirname(this.path);
    const found = [...(source === undefined ? [] : [source]), ...included].find(
      (one) => resolve(folder, one.path) === path && one.text === text,
    );
    return found ?? { path, text, ...(path === this.path ? {} : { includedAs: relative(folder, path) }) };
  }

  #find(): FindIncluded {
    return findIncluded(this.path, dirname(this.path), noted, this.#textOf);
  }

  #input(config: Source): Input {
    const description = findDescription(undefined, this.path, dirname(this.path), noted, this.#textOf);
    const folder = serviceFolder(undefined, this.path, dirname(this.path));
    const ownHeaders = headersOfMiddleware(folder, noted, this.#textOf);
    const thirdParty = findThirdParty(this.path, dirname(this.path), noted, this.#textOf);
    const thirdPartyCache = this.#cache.part(ThirdPartyCache);
    return {
      config,
      include: this.#find(),
      ownHeaders,
      thirdParty,
      thirdPartyCache,
      ...(description && { description }),
    };
  }

  #databases(): Databases {
    return schemasOf({}, this.path, dirname(this.path), noted, this.#textOf);
  }

  /** The file that is looked at, and open editor buffers, take precedence over files. */
  readonly #textOf = (absolute: string, shown: string): string =>
    this.#included?.path === absolute
      ? this.#included.text
      : (this.openText(resolve(absolute)) ?? readText(absolute, shown));
}

function noted(): void {
  // Editors report which files change.
}
