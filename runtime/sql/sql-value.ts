/** What a statement is given for its placeholders. */
import type { Json } from '../handler/json.js';

/** A number that MySQL and MariaDB get as a number and not as a text. */
export class BoundNumber {
  /** As its decimal digits, so that nothing is lost; undefined for a value that is none, which is refused when it is bound. */
  constructor(readonly digits: string | undefined) {}
}

export type SqlValue = Json | BoundNumber;

/** What handlers give: a field that is not there, undefined, is NULL as null is. */
export type GivenValue = SqlValue | undefined;
