/** A report for trial runs: it only records whether there is any problem. */
import { catalogue } from './catalogue.js';
import type { Sink } from './finding.js';

export class Trial implements Sink {
  #hasErrors = false;
  #isClean = true;

  readonly add: Sink['add'] = (...[code]) => {
    this.#isClean = false;
    if (catalogue[code].severity === 'error') this.#hasErrors = true;
  };

  /** The error in these spans has already been counted. */
  ignoreInside(): void {
    this.#isClean = false;
  }

  get hasErrors(): boolean {
    return this.#hasErrors;
  }

  /** False even if there are only warnings. */
  get isClean(): boolean {
    return this.#isClean;
  }
}
