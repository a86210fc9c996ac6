/** Parameters of PostgreSQL whose type their author has to write (see untyped-values.ts), or that are two where one is meant. */
import type { Report } from '../diagnostics/report.js';
import { checkGroups } from './check-groups.js';
import { placeOf } from './reading.js';
import type { SqlStatement } from './statement.js';
import { typingOf } from './untyped-values.js';
import type { KindOf } from './value-kind.js';

export function checkValues(
  { dialect, pieces }: Pick<SqlStatement, 'dialect' | 'pieces'>,
  kindOf: KindOf,
  report: Report,
): void {
  if (dialect !== 'postgresql') return;
  const { bounds, text, form } = pieces;
  for (const { index, where, isSilent, choices, isLikelyText } of typingOf(bounds.items, kindOf).untyped) {
    const item = bounds.items[index];
    if (item === undefined) continue;
    const rewrites = choices.map(({ type, meaning }) => `${item.token.text}::${type}${meaning}`);
    const place = placeOf({ text, dialect, form, report }, item);
    if (isLikelyText === true) report.add('sql-string-column', place, { rewrites });
    else report.add('sql-needs-cast', place, { where, isSilent, rewrites });
  }
  checkGroups({ dialect, pieces }, report);
}
