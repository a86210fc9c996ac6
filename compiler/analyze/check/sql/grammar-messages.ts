/** Messages about misplaced words or placeholders in SQL. */
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { ReportOwn } from '../rule.js';

export const oneQueryPerName = 'Write one query for each name, each with its own `if`.';

function insteadOfLength(type: string): string {
  if (/^(?:numeric|dec|decimal)$/.test(type)) return ', or round( … ) with the placeholder for the digits';
  return /char|varying/.test(type) ? ', or left( … ) with the placeholder for the length' : '';
}

function exampleLength(type: string): string {
  if (/^(?:numeric|dec|decimal)$/.test(type)) return '10, 2';
  return /time|interval/.test(type) ? '3' : '20';
}

export const grammarMessages = {
  'sql-unexpected': error(
    { written: 'text', before: 'text', hint: 'sentence', missing: 'word' },
    (p: { written: string; before: string; hint: string; missing?: string | undefined }) => ({
      message:
        p.missing !== undefined
          ? `${p.written} without ${p.missing}.`
          : p.before === ''
            ? `Nothing follows '${p.written}'.`
            : `Unexpected '${p.written}' after '${p.before}'.`,
      hint: p.hint,
    }),
  ),
  'sql-misspelt-keyword': error(
    { written: 'text', keyword: 'word' },
    (p: { written: string; keyword: string }) => ({
      message: `Unknown ${/^\W+$/.test(p.written) ? 'operator' : 'keyword'} '${p.written}'.`,
      hint: `Write ${p.keyword}${/^\W+$/.test(p.keyword) ? '' : '.'}`,
      instead: p.written === p.written.toLowerCase() ? p.keyword.toLowerCase() : p.keyword,
    }),
  ),
  'sql-parenthesis': error({ written: 'text' }, (p: { written: string }) => ({
    message: p.written === '(' ? "Unclosed '('." : "Unmatched ')'.",
    hint: p.written === '(' ? "Write the missing ')'." : "Remove it, or write the '(' that it belongs to.",
  })),
  'sql-placeholder-as-statement': error(() => ({
    message: 'A placeholder is always a value, never SQL.',
    hint: 'Write the SQL here, with placeholders for its values.',
  })),
  'sql-placeholder-as-name': error({ where: 'text' }, (p: { where: string }) => ({
    message: `A placeholder is always a value, but a name is needed ${p.where}.`,
    hint: oneQueryPerName,
  })),
  'sql-placeholder-as-type': error(() => ({
    message: 'A placeholder is always a value, but a type is needed after `::`.',
    hint: 'Write the type, such as ::date.',
  })),
  'sql-placeholder-in-type': error({ type: 'word' }, (p: { type: string }) => ({
    message: `A placeholder cannot be in the type ${p.type}( … ).`,
    hint: `Write a number, such as ${p.type}(${exampleLength(p.type)})${insteadOfLength(p.type)}.`,
  })),
  'sql-placeholder-after-type': error(
    { type: 'word', written: 'text', rewrite: 'text' },
    (p: { type: string; written: string; rewrite: string }) => ({
      message: `${p.type} is not allowed before a parameter, only before a string.`,
      hint: `Write ${p.rewrite} instead of ${p.written}.`,
    }),
  ),
  'sql-in-without-parentheses': error({ rewrite: 'text' }, (p: { rewrite: string }) => ({
    message: 'IN needs parentheses around its values, also around an array.',
    hint: `Write ${p.rewrite}.`,
    // Only the placeholder is marked.
    instead: p.rewrite.replace(/^IN /, ''),
  })),
  'sql-values-without-parentheses': error({ rewrite: 'text' }, (p: { rewrite: string }) => ({
    message: 'VALUES needs parentheses around each row.',
    hint: `Write ${p.rewrite}, with one placeholder for each column.`,
  })),
  'sql-pattern-without-quotes': error({ rewrite: 'text' }, (p: { rewrite: string }) => ({
    message: 'The % of a pattern needs quotes.',
    hint: `Write ${p.rewrite}.`,
  })),
  'sql-placeholder-as-direction': error(() => ({
    message: 'A placeholder is always a value, never ASC or DESC.',
    hint: 'Write one query for each order, each with its own `if`.',
  })),
  'sql-sort-by-constant': warning(
    { clause: 'word', placeholder: 'text' },
    (p: { clause: string; placeholder: string }) => ({
      message: `${p.clause} BY a placeholder has no effect: a value is not a column.`,
      hint: `Write one query for each column, each with its own \`if\`, or CASE WHEN ${p.placeholder} = 'title' THEN title END.`,
    }),
  ),
};

export type ReportGrammar = ReportOwn<typeof grammarMessages>;
