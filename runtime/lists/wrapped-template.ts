/** Statements around an inner statement with a variable number of placeholders. */
import { value } from '../sql/in-lists.js';
import type { SqlTemplate } from '../sql/sql-template.js';

/** The inner statement between `begin` and the parts: pieces of SQL, and a placeholder for each part that is not a string. */
export function wrapped(
  { strings: [first = '', ...others], holes }: SqlTemplate,
  begin: string,
  parts: readonly (string | object)[],
): SqlTemplate {
  const all = [`${begin}${first}`, ...others];
  for (const part of parts) {
    if (typeof part === 'string') all.push(`${all.pop() ?? ''}${part}`);
    else all.push('');
  }
  const added = parts.filter((part) => typeof part !== 'string');
  return value.template(all, [...holes, ...added.map(() => value)]);
}
