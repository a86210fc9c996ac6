/** What can be wrong with a database URL. */

/** One mistake in a URL. No text of it repeats a user, a password or the value of an option that is not known. */
export interface JdbcProblem {
  /** A service with an error does not start; with a warning it does. */
  readonly severity: 'error' | 'warning';
  /** What is wrong: a part of a sentence, beginning in lower case, without a full stop. */
  readonly message: string;
  /** What to write instead: a whole sentence. */
  readonly hint: string;
}
