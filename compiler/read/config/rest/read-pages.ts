/** Reads `pages` of a request, which collects all elements of a paginated list. */
import type { Path } from '../../expression/ast.js';
import { tryExpression } from '../../expression/parse/parse.js';
import { wholeText, type ScalarText } from '../../source.js';
import type { Pages } from '../config-model.js';
import { fieldTable } from '../field-table.js';
import type { Fields } from '../fields.js';

/** Reads `pages`; undefined if the field is missing or unreadable. */
export function readPages(request: Fields): Pages | undefined {
  const fields = request.inside('pages', fieldTable.pages, "'pages'");
  if (fields === undefined) return undefined;
  fields.require();
  const max = fields.integer('max');
  const next = fields.text('next');
  const items = fields.text('items');
  const nextPath = next === undefined || next.value === 'link' ? 'link' : readPlainPath(next, 'next', fields);
  const itemsPath = items === undefined ? [] : readPlainPath(items, 'items', fields);
  const parameter = fields.stringWithSpan('parameter');
  if (max === undefined || next === undefined || nextPath === undefined || itemsPath === undefined)
    return undefined;
  return { next: nextPath, parameter, items: itemsPath, max: max.value };
}

/** Reads a path of names and indexes. */
function readPlainPath(text: ScalarText, field: string, { report }: Fields): Path | undefined {
  const written = text.value.trim();
  const found = written.startsWith('$')
    ? tryExpression(wholeText(text.span.source.path, `BODY(${written})`), 'A')
    : undefined;
  if (found?.kind === 'body' && found.path.every(({ kind }) => kind !== 'all')) return found.path;
  report.add('wrong-kind', text.span, {
    what: `'${field}' of 'pages'`,
    expected: field === 'next' ? 'link, or a path into the body' : 'a path into the body',
    example: field === 'next' ? 'next: $.next' : 'items: $.data',
  });
  return undefined;
}
