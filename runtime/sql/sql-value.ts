/** What a statement is given for its placeholders. */
import type { Json } from '../json.js';

/** A number as its decimal digits, bound as a number and not as a text; nothing of it is lost. */
export class BoundNumber {
  constructor(readonly digits: string) {}
}

export type SqlValue = Json | BoundNumber;
