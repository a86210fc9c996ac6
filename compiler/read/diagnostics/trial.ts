/** For what is read on trial: whether anything is wrong with it, and nothing of it is kept. */
import { catalogue } from './catalogue.js';
import type { Sink } from './finding.js';

export class Trial implements Sink {
  #hasErrors = false;
  #isClean = true;

  readonly add: Sink['add'] = (...[code]) => {
    this.#isClean = false;
    if (catalogue[code].severity === 'error') this.#hasErrors = true;
  };

  /** The content of these spans has been counted as an error. */
  ignoreInside(): void {
    this.#isClean = false;
  }

  get hasErrors(): boolean {
    return this.#hasErrors;
  }

  /** False after a warning, too. */
  get isClean(): boolean {
    return this.#isClean;
  }
}
