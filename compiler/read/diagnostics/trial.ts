/** A report for reading on trial: it knows whether anything is wrong, and keeps nothing else. */
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
