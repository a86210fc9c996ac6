/** Statements that begin or end a transaction, in the texts that own code sends. */

/** What the statements of a transaction are, as knex writes them: BEGIN, COMMIT, ROLLBACK, and the isolation before or in the first. */
const control =
  /^(?:(begin|start\s+transaction)(?:\s+transaction)?(\s[\w\s,]+)?|(commit|rollback)(?:\s+work)?|(set\s+transaction)\s[\w\s,]+)$/i;

/** The statement of a transaction; undefined for all others. */
export function controlIn(
  text: string,
): { readonly verb: 'begin' | 'commit' | 'rollback' | 'set'; readonly mode: string } | undefined {
  const statement = text.trim().replace(/;$/, '').trimEnd();
  const [, begin, mode = '', end, set] = control.exec(statement) ?? [];
  if (begin !== undefined) return { verb: 'begin', mode: mode.trim() };
  if (end !== undefined) return { verb: end.toLowerCase() === 'commit' ? 'commit' : 'rollback', mode: '' };
  return set === undefined ? undefined : { verb: 'set', mode: '' };
}

/** Strings, quoted names and comments: words in them mean nothing. Comments that MySQL runs are none. */
const quoted = {
  postgresql: /'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[^]*?\$\1\$|--[^\n]*|\/\*[^]*?\*\//g,
  mysql: /'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^]|"")*"|`[^`]*`|--\s[^\n]*|#[^\n]*|\/\*(?!M?!)[^]*?\*\//g,
};

const someWord = /\b(?:begin|start|commit|end|abort|rollback|prepare|xa|autocommit)\b/i;

/** What ends a transaction, also where it begins another one at once; not ROLLBACK TO a savepoint. */
const ending =
  /^(?:\/\*M?!\d*\s*)?(?:begin|start\s+transaction|commit|end|abort|rollback(?!(?:\s+(?:work|transaction))?\s+to\b)|prepare\s+transaction|xa|set\s+(?:\w+\s+|@@(?:\w+\.)?)?autocommit)\b/i;

/** Whether one of the statements of the text ends the transaction in which it runs. */
export function endsTransaction(text: string, kind: keyof typeof quoted): boolean {
  if (!someWord.test(text)) return false;
  const statements = text.replaceAll(quoted[kind], ' ').split(';');
  return statements.some((statement) => ending.test(statement.trim()));
}
