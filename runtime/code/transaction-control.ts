/** Recognizes statements that begin or end a transaction in SQL sent by user code. */

/** The transaction statements written by Knex: BEGIN, COMMIT, ROLLBACK, and the isolation level before or in BEGIN. */
const control =
  /^(?:(begin|start\s+transaction)(?:\s+transaction)?(\s[\w\s,]+)?|(commit|rollback)(?:\s+work)?|(set\s+transaction)\s[\w\s,]+)$/i;

/** The transaction statement in the SQL; undefined for other statements. */
export function controlIn(
  text: string,
): { readonly verb: 'begin' | 'commit' | 'rollback' | 'set'; readonly mode: string } | undefined {
  const statement = text.trim().replace(/;$/, '').trimEnd();
  const [, begin, mode = '', end, set] = control.exec(statement) ?? [];
  if (begin !== undefined) return { verb: 'begin', mode: mode.trim() };
  if (end !== undefined) return { verb: end.toLowerCase() === 'commit' ? 'commit' : 'rollback', mode: '' };
  return set === undefined ? undefined : { verb: 'set', mode: '' };
}

/** Strings, quoted names and comments, whose words are ignored, except comments that MySQL executes (`/*!`). */
const quoted = {
  postgresql: /'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[^]*?\$\1\$|--[^\n]*|\/\*[^]*?\*\//g,
  mysql: /'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^]|"")*"|`[^`]*`|--\s[^\n]*|#[^\n]*|\/\*(?!M?!)[^]*?\*\//g,
};

const someWord = /\b(?:begin|start|commit|end|abort|rollback|prepare|xa|autocommit)\b/i;

/** Statements that end a transaction, even if they immediately begin another one. ROLLBACK TO a savepoint is excluded. */
const ending =
  /^(?:\/\*M?!\d*\s*)?(?:begin|start\s+transaction|commit|end|abort|rollback(?!(?:\s+(?:work|transaction))?\s+to\b)|prepare\s+transaction|xa|set\s+(?:\w+\s+|@@(?:\w+\.)?)?autocommit)\b/i;

/** Whether the SQL contains a statement that ends its own transaction. */
export function endsTransaction(text: string, kind: keyof typeof quoted): boolean {
  if (!someWord.test(text)) return false;
  const statements = text.replaceAll(quoted[kind], ' ').split(';');
  return statements.some((statement) => ending.test(statement.trim()));
}
