/** A configuration that an editor has open, with the analysis of its newest text. */
import { dirname, resolve } from 'node:path';
import type { Analysis } from '../../../analyze/operations/analysis.js';
import type { Databases } from '../../../analyze/operations/statement-descriptions.js';
import { checkWithDatabases, type Examined, type Input } from '../../../compile.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { CompilationCache } from '../../../generate/emit/compilation-cache.js';
import { focusAt } from '../../editor/focus.js';
import { ResultsCache } from '../../editor/results-cache.js';
import { ThirdPartyCache } from '../../../read/openapi/third-party/named-descriptions.js';
import { findDescription, findThirdParty } from '../shared/description.js';
import type { Source } from '../../../read/source.js';
import { schemasOf } from '../shared/find-schemas.js';
import { headersOfMiddleware } from '../shared/headers-of-middleware.js';
import { serviceFolder } from '../shared/own-files.js';
import { readText } from '../shared/read-text.js';

/** The text of a file as an editor has it open; undefined where it is not open. */
export type OpenText = (absolute: string) => string | undefined;

/** The analysis of a whole text, or of the part of it that one operation needs. */
export interface View {
  readonly text: string;
  readonly analysis: Analysis | undefined;
  /** From an offset in the file to one in `text`, and back. */
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
  #whole: Examined | undefined;
  #focused: { readonly key: string; readonly examined: Promise<Examined> } | undefined;

  constructor(
    /** Its absolute path. */
    readonly path: string,
    private readonly openText: OpenText,
  ) {
    this.#source = { path, text: '' };
  }

  /** All diagnostics, as `check` would find them. */
  diagnostics(text: string): Promise<readonly Diagnostic[]> {
    return this.#inTurn(async () => {
      this.#read(text);
      const databases = this.#results.listenTo(this.#databases());
      return (await checkWithDatabases(this.#input(this.#source), databases, this.#cache)).diagnostics;
    });
  }

  /** Computes a result for the whole text; `compute` must not keep the view. */
  whole<Result>(text: string, compute: (view: View) => Result): Promise<Result> {
    return this.#inTurn(async () => {
      this.#read(text);
      this.#whole ??= await checkWithDatabases(this.#input(this.#source), this.#results, this.#cache);
      return compute({ text, analysis: this.#whole.analysis, into: same, back: same });
    });
  }

  /** Computes a result for the operation at the offset: quick, however large the file is. */
  async at<Result>(text: string, offset: number, compute: (view: View) => Result): Promise<Result> {
    const focus = focusAt(text, offset);
    if (focus === undefined) return this.whole(text, compute);
    if (this.#focused?.key !== focus.text) {
      const source = { path: this.path, text: focus.text };
      this.#focused = { key: focus.text, examined: checkWithDatabases(this.#input(source), this.#results) };
    }
    const { analysis } = await this.#focused.examined;
    return compute({ text: focus.text, analysis, into: focus.into, back: focus.back });
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

  /** From now on it is the newest text. */
  #read(text: string): void {
    if (this.#source.text === text) return;
    this.#source = { path: this.path, text };
    this.#whole = undefined;
  }

  #input(config: Source): Input {
    const description = findDescription(undefined, this.path, dirname(this.path), noted, this.#textOf);
    const folder = serviceFolder(undefined, this.path, dirname(this.path));
    const ownHeaders = headersOfMiddleware(folder, noted, this.#textOf);
    const thirdParty = findThirdParty(this.path, dirname(this.path), noted, this.#textOf);
    const thirdPartyCache = this.#cache.part(ThirdPartyCache);
    return { config, ownHeaders, thirdParty, thirdPartyCache, ...(description && { description }) };
  }

  #databases(): Databases {
    return schemasOf({}, this.path, dirname(this.path), noted, this.#textOf);
  }

  /** Open editor buffers take precedence over files. */
  readonly #textOf = (absolute: string, shown: string): string =>
    this.openText(resolve(absolute)) ?? readText(absolute, shown);
}

function noted(): void {
  // Editors report which files change.
}
