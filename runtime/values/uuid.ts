/** UUID: a new identifier for each evaluation. */
import { randomUUID } from 'node:crypto';

/** Replaced by `apikiln test`, so that tests can control the identifiers. */
export const identifiers = { next: (): string => randomUUID() };

/** A new version 4 UUID. */
export function uuid(): string {
  return identifiers.next();
}
