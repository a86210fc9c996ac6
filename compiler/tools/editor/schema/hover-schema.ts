/** The hover text of tables and columns: how the schema defines them. */
import { position, type Span } from '../../../read/source.js';
import type { SqlName } from './sql-name.js';

/** Lines of a definition that are shown. */
const maxLines = 40;

/** In Markdown. */
export function schemaText(names: readonly SqlName[]): string {
  return names.map(textOf).join('\n\n');
}

function textOf({ table, column }: SqlName): string {
  const span = column?.span ?? table.span;
  const place = `${span.source.path}:${position(span.source, span.start).line}`;
  const title =
    column === undefined
      ? `Table **${table.name}** – ${place}`
      : `Column **${column.name}** of **${table.name}** – ${place}`;
  return `${title}\n\n\`\`\`sql\n${written(column?.definition ?? table.statement)}\n\`\`\``;
}

function written({ source, start, end }: Span): string {
  const lines = source.text.slice(start, end).split(/\r?\n/);
  return [...lines.slice(0, maxLines), ...(lines.length > maxLines ? ['…'] : [])].join('\n');
}
