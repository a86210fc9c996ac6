/** Positions where MySQL and MariaDB accept a constant and not a parameter, or ignore a parameter. */
import { isQueryRow } from '../parse/listed.js';
import { argumentsOf, callAround, placeholderIn } from '../parse/operand.js';
import type { OutlineToken } from '../parse/outline.js';
import { spanOf, type SqlCheckContext } from './sql-check-context.js';

/** Functions with the argument, from 0, that must be a constant. */
const constantArguments: Readonly<Record<string, number>> = {
  EXTRACTVALUE: 1,
  UPDATEXML: 1,
  JSON_TABLE: 1,
  PERCENTILE_CONT: 0,
  PERCENTILE_DISC: 0,
};

const writeItself = 'Write the value itself, or one query for each value, each with its own `if`.';

/** Reports placeholders there; false after an error. */
export function checkConstants(context: SqlCheckContext, items: readonly OutlineToken[]): boolean {
  if (context.dialect !== 'mysql') return true;
  let sound = true;
  for (const [index, item] of items.entries()) {
    if (item.token.kind !== 'placeholder') continue;
    const span = spanOf(context, item);
    const next = items[index + 1]?.word;
    const where = constantContext(items, index);
    if (where !== undefined) {
      context.report.add('sql-constant-only', span, { where, hint: writeItself });
      sound = false;
    } else if (isQueryRow(items, index)) {
      context.report.add('sql-values-of-query', span, { written: item.token.text });
      sound = false;
    } else if (next === 'PRECEDING' || next === 'FOLLOWING') context.report.add('sql-constant-frame', span);
  }
  return sound;
}

function constantContext(items: readonly OutlineToken[], index: number): string | undefined {
  if (items[index - 1]?.word === 'SEPARATOR') return 'after SEPARATOR';
  const call = callAround(items, index);
  const argument =
    call !== undefined && Object.hasOwn(constantArguments, call.name)
      ? constantArguments[call.name]
      : undefined;
  if (call === undefined || argument === undefined) return undefined;
  const found = argumentsOf(items, call.open)[argument];
  return found !== undefined && placeholderIn(items, found) === index
    ? `in ${call.name.toLowerCase()}( … )`
    : undefined;
}
