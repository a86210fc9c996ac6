/** Notes for the user about tables and columns of a database: omitted ones, and doubtful ones in responses. */
import { visible } from '../../../notation/unseen.js';
import type { ChosenTables } from './chosen-tables.js';
import { doubtfulOf, secretsOf } from './table-columns.js';
import { titleOf } from './table-operation.js';
import type { Table, TableColumn } from '../../../analyze/database/read-tables.js';

export function choiceNotes({ chosen, leftOut }: ChosenTables): string[] {
  const named = leftOut.filter(({ canBeNamed }) => canBeNamed).map(({ table }) => titleOf(table));
  return [
    section(
      'Tables without operations:',
      leftOut.map(({ table, reason }) => `${titleOf(table)}: ${reason}`),
    ),
    named.length === 0 ? '' : `To write operations for one: --tables ${visible(named[0] ?? '')}`,
    section('Not in responses, because their names are those of secrets:', columnsOf(chosen, secretsOf)),
    section(
      'In responses; remove what is a secret from config.yaml and openapi.yaml:',
      columnsOf(chosen, doubtfulOf),
    ),
  ].filter((text) => text !== '');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}\n${lines.map((line) => `  ${visible(line)}`).join('\n')}`;
}

function columnsOf(tables: readonly Table[], choose: (table: Table) => readonly TableColumn[]): string[] {
  return tables.flatMap((table) => {
    const names = choose(table).map(({ name }) => name);
    return names.length === 0 ? [] : [`${titleOf(table)}: ${names.join(', ')}`];
  });
}
