/** The RETURNING that is added to statements whose rows are read (decisions 11.3). */
import type { SqlTemplate } from './sql.js';

/** The text with the clause behind it, on a line of its own where the text has several lines, or may end in a comment. */
export function withReturning(
  sql: string | SqlTemplate,
  returning: string | undefined,
): string | SqlTemplate {
  if (returning === undefined) return sql;
  if (typeof sql !== 'string') {
    const { strings, holes } = sql;
    return { strings: [...strings.slice(0, -1), `${strings.at(-1) ?? ''}\n${returning}`], holes };
  }
  return `${sql}${/\n|--/.test(sql) ? '\n' : ' '}${returning}`;
}
