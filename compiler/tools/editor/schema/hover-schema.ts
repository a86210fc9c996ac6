/** The hover text of tables and columns: their definition in the schema. */
import { markdown } from '../../../notation/markdown-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import { position, type Span } from '../../../read/source.js';
import type { SqlName } from './sql-name.js';

/** Maximum lines of a definition that are shown. */
const maxLines = 40;

export function schemaText(names: readonly SqlName[]): Written<'markdown'> {
  return joined(names.map(textOf), '\n\n');
}

function textOf({ table, column }: SqlName): Written<'markdown'> {
  const span = column?.span ?? table.span;
  const place = markdown.text(`${span.source.path}:${position(span.source, span.start).line}`);
  const owner = markdown.text(table.name);
  const title =
    column === undefined
      ? markdown`Table **${owner}** – ${place}`
      : markdown`Column **${markdown.text(column.name)}** of **${owner}** – ${place}`;
  return markdown`${title}\n\n${markdown.block(written(column?.definition ?? table.statement), 'sql')}`;
}

function written({ source, start, end }: Span): string {
  const lines = source.text.slice(start, end).split(/\r?\n/);
  return [...lines.slice(0, maxLines), ...(lines.length > maxLines ? ['…'] : [])].join('\n');
}
