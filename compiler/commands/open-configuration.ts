/** A configuration that an editor has open: what is known of its newest text. */
import { dirname, resolve } from 'node:path';
import type { Analysis } from '../analyze/analysis.js';
import type { Databases } from '../analyze/database-answers.js';
import { examineWith, type Examined, type Input } from '../compile.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { Memory } from '../emit/memory.js';
import { focusAt } from '../editor/focus.js';
import { RememberedAnswers } from '../editor/remembered-answers.js';
import { findDescription } from './description.js';
import { schemasOf } from './find-schemas.js';
import { readText } from './read-text.js';

/** The text of a file as an editor has it open; undefined where it is not open. */
export type OpenText = (absolute: string) => string | undefined;

/** What is known of a text, or of the part of it that an operation needs. */
export interface View {
  readonly text: string;
  readonly analysis: Analysis | undefined;
  /** From an offset in the file to one in `text`, and back. */
  readonly into: (offset: number) => number;
  readonly back: (offset: number) => number;
}

const same = (offset: number): number => offset;

export class OpenConfiguration {
  readonly #answers = new RememberedAnswers();
  readonly #memory = new Memory();
  /** Examinations follow each other: what is kept is of one text at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #whole: { readonly text: string; readonly examined: Promise<Examined> } | undefined;
  #focused: { readonly key: string; readonly examined: Promise<Examined> } | undefined;

  constructor(
    /** Its absolute path. */
    readonly path: string,
    private readonly openText: OpenText,
  ) {}

  /** All diagnostics, as `check` would find them. */
  async diagnostics(text: string): Promise<readonly Diagnostic[]> {
    const databases = this.#answers.listenTo(this.#databases());
    // Places of what is kept are those in the newest text.
    if (this.#whole?.text !== text) this.#whole = undefined;
    return (await this.#inTurn(() => examineWith(this.#input(text), databases, this.#memory))).diagnostics;
  }

  /** Of the whole text. */
  async whole(text: string): Promise<View> {
    if (this.#whole?.text !== text)
      this.#whole = {
        text,
        examined: this.#inTurn(() => examineWith(this.#input(text), this.#answers, this.#memory)),
      };
    const { analysis } = await this.#whole.examined;
    return { text, analysis, into: same, back: same };
  }

  /** Of the operation at the offset: a moment in however large a file. */
  async at(text: string, offset: number): Promise<View> {
    const focus = focusAt(text, offset);
    if (focus === undefined) return this.whole(text);
    if (this.#focused?.key !== focus.text)
      this.#focused = { key: focus.text, examined: this.#examine(focus.text) };
    const { analysis } = await this.#focused.examined;
    return { text: focus.text, analysis, into: focus.into, back: focus.back };
  }

  /** Other files have changed: what was found with them no longer counts. */
  forget(): void {
    this.#whole = undefined;
    this.#focused = undefined;
  }

  #inTurn(examine: () => Promise<Examined>): Promise<Examined> {
    const examined = this.#last.then(examine, examine);
    this.#last = examined;
    return examined;
  }

  #examine(text: string): Promise<Examined> {
    return examineWith(this.#input(text), this.#answers);
  }

  #input(text: string): Input {
    const description = findDescription(undefined, this.path, dirname(this.path), noted, this.#read);
    return { config: { path: this.path, text }, ...(description && { description }) };
  }

  #databases(): Databases {
    return schemasOf({}, this.path, dirname(this.path), noted, this.#read);
  }

  /** What is open wins over what is saved. */
  readonly #read = (absolute: string, shown: string): string =>
    this.openText(resolve(absolute)) ?? readText(absolute, shown);
}

function noted(): void {
  // Editors tell which files change.
}
