/** Which statements the database does as a whole or not at all. */

const white = String.raw`\s+|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|/\*(?!!)[^*]*\*+(?:[^*/][^*]*\*+)*/|\(`;
const verb = 'select|insert|update|delete|merge|replace|with|values|table';
const atomicStart = new RegExp(`^(?:${white})*(?:${verb})\\b`, 'i');

/** What other systems do is not undone with a statement: a connection to another server, a request, a file. */
const outside = /\b(?:dblink\w*|http_\w+|lo_export|pg_background\w*)\s*\(/i;

/**
 * True where a failure leaves nothing of the statement. A procedure may commit on the way, as may everything that is not known
 * to be one of these statements.
 */
export function isAtomic(text: string): boolean {
  return atomicStart.test(text) && !outside.test(text);
}
