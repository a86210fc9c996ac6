/** UUID: a new identifier at each evaluation. */
import { randomUUID } from 'node:crypto';

/** Replaced by `apikiln test`, so that a test knows the identifiers. */
export const identifiers = { next: (): string => randomUUID() };

/** A new UUID of version 4. */
export function uuid(): string {
  return identifiers.next();
}
