/** Diagnostics of SQL texts (decisions 5). */
import type { Span } from '../../source.js';
import { error, warning } from './entry-messages.js';

const oneQueryPerName = 'Write one query for each name, each with its own `if`.';

function insteadOfLength(type: string): string {
  if (/^(?:numeric|dec|decimal)$/.test(type)) return ', or round( … ) with the placeholder for the digits';
  return /char|varying/.test(type) ? ', or left( … ) with the placeholder for the length' : '';
}

function exampleLength(type: string): string {
  if (/^(?:numeric|dec|decimal)$/.test(type)) return '10, 2';
  return /time|interval/.test(type) ? '3' : '20';
}

export const sqlEntries = {
  'sql-empty': error(() => ({
    message: 'Empty SQL statement.',
    hint: 'Write one SQL statement, for example SELECT id, title FROM news.',
  })),
  'sql-several-statements': error(() => ({
    message: 'A query must be one statement; a second one begins here.',
    hint: 'Write one fulfillment for each statement. They run in order.',
  })),
  'sql-unknown-statement': warning(
    { word: 'text', dialect: 'word' },
    (p: { word: string; dialect: string }) => ({
      message: `Unknown statement '${p.word}' of ${p.dialect}.`,
      hint: 'Correct the first word, if it is misspelt. Otherwise nothing is known of its result.',
    }),
  ),
  'sql-not-a-statement': error(() => ({
    message: 'The SQL does not begin with a verb such as SELECT or INSERT.',
    hint: 'Write one SQL statement, for example SELECT id, title FROM news.',
  })),
  'sql-unterminated': error(
    { what: 'sentence', opener: 'word', closer: 'word', twice: 'word' },
    (p: { what: string; opener: string; closer: string; isCut: boolean; twice?: string | undefined }) => ({
      message: `Unclosed ${p.what}: ${p.isCut ? "YAML reads what follows ' #' as a comment" : `it begins here with ${p.opener}`}.`,
      hint: p.isCut
        ? "Write the SQL as a block ('query: |' and the statement on the next lines), or quote it."
        : p.twice === undefined
          ? `Close it with ${p.closer}.`
          : `Write ${p.twice}: a quote inside a string is written twice.`,
    }),
  ),
  'sql-comment-over-lines': error({ opener: 'word' }, (p: { opener: string }) => ({
    message: `YAML folds these lines into one, so the comment ${p.opener} hides everything after it.`,
    hint: 'Write the SQL as a block, `query: |` with the statement on the lines below, or remove the comment.',
  })),
  'sql-placeholder-in-literal': error(
    { written: 'text', rewrite: 'text', expressions: 'text' },
    (p: {
      written: string;
      rewrite: string | undefined;
      isSqlForm: boolean;
      /** The expressions of the placeholders in the string. */
      expressions: readonly string[];
      /** The string, where the rewrite is about all of it and nothing else. */
      literal: Span | undefined;
    }) => ({
      message: 'Placeholder inside a string: the database would read it as text.',
      hint:
        p.rewrite === undefined
          ? 'Write the whole placeholder, with its ], outside of the quotes.'
          : `Write ${p.rewrite} instead of ${p.written}${p.isSqlForm ? `, and add ${p.expressions.map((one) => `\`- param: ${one}\``).join(' and ')} to \`parameters\`, in the order of the markers` : ''}.`,
      ...(p.literal && !p.isSqlForm && { instead: p.rewrite, insteadOf: p.literal }),
    }),
  ),
  'sql-placeholder-in-name': error({ value: 'text' }, (p: { value: string | undefined }) => ({
    message: 'Placeholder inside a quoted name: a placeholder is always a value.',
    hint:
      p.value === undefined
        ? oneQueryPerName
        : `For a value write ${p.value} without the quotes. For a name write one query for each, each with its own \`if\`.`,
  })),
  'sql-placeholder-in-comment': error(() => ({
    message: 'Placeholder inside a comment.',
    hint: 'Move the placeholder out of the comment, or remove the comment.',
  })),
  'sql-placeholder-in-sql-form': error(
    { written: 'text', expression: 'text' },
    (p: { written: string; expression: string }) => ({
      message: 'Placeholder in the `sql` form, where a parameter is `?`.',
      hint: `Write ? instead of ${p.written} and add \`- param: ${p.expression}\` to \`parameters\`; or use \`query\`.`,
    }),
  ),
  'sql-positional-parameter': error(
    { written: 'text', marker: 'word' },
    (p: { written: string; marker: string }) => ({
      message: `Numbered parameter ${p.written}: the compiler numbers parameters itself.`,
      hint: `Write ${p.marker} for a value.`,
    }),
  ),
  'sql-named-parameter': error(
    { written: 'text', rewrite: 'text' },
    (p: { written: string; rewrite: string }) => ({
      message: `${p.written} is not ${p.rewrite === '?' || p.rewrite.includes(':[') ? 'a placeholder' : 'SQL'}.`,
      hint:
        p.rewrite === '?' && /^[A-Z_]+\(.*\)$/s.test(p.written)
          ? `Write ? and add \`- param: ${p.written}\` to \`parameters\`, in the order of the markers.`
          : `Write ${p.rewrite}${p.rewrite === '?' || p.rewrite.includes(':[') ? ' for a value' : ''}.`,
      instead: p.rewrite === '?' ? undefined : p.rewrite,
    }),
  ),
  'sql-question-mark': error(
    { written: 'text', reason: 'sentence', marker: 'word' },
    (p: { written: string; reason: string; marker: string }) => ({
      message: `Unexpected '${p.written}': ${p.reason}.`,
      hint: `Write ${p.marker} for a value.`,
    }),
  ),
  'sql-question-mark-in-comment': error(() => ({
    message: 'A `?` in a comment that some servers execute: the number of parameters is unknown.',
    hint: 'Move the `?` or the SQL out of the comment.',
  })),
  'sql-parameter-count': error({}, (p: { markers: number; parameters: number; isQuoted: boolean }) => ({
    message: `The SQL has ${counted(p.markers, 'marker')} \`?\`, but \`parameters\` has ${p.parameters}.`,
    hint:
      p.markers > p.parameters
        ? `Add ${counted(p.markers - p.parameters, 'more item')} such as \`- param: PARAM(id)\` to \`parameters\`, in the order of the markers; or write \`??\` for a question mark.`
        : p.isQuoted
          ? 'Write ? without quotes: in quotes it is a string.'
          : 'Write one `?` for each parameter, in order, or remove the extra parameters.',
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
    // The placeholder alone is marked.
    instead: p.rewrite.replace(/^IN /, ''),
  })),
  'sql-values-without-parentheses': error({ rewrite: 'text' }, (p: { rewrite: string }) => ({
    message: 'VALUES needs parentheses around each row.',
    hint: `Write ${p.rewrite}, with one placeholder for each column.`,
  })),
  'sql-parenthesis': error({ written: 'text' }, (p: { written: string }) => ({
    message: p.written === '(' ? "Unclosed '('." : "Unmatched ')'.",
    hint: p.written === '(' ? "Write the missing ')'." : "Remove it, or write the '(' that it belongs to.",
  })),
  'sql-misspelt-keyword': error(
    { written: 'text', keyword: 'word' },
    (p: { written: string; keyword: string }) => ({
      message: `Unknown ${/^\W+$/.test(p.written) ? 'operator' : 'keyword'} '${p.written}'.`,
      hint: `Write ${p.keyword}${/^\W+$/.test(p.keyword) ? '' : '.'}`,
      instead: p.written === p.written.toLowerCase() ? p.keyword.toLowerCase() : p.keyword,
    }),
  ),
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
  'sql-constant-only': error(
    { where: 'sentence', hint: 'sentence' },
    (p: { where: string; hint: string }) => ({
      message: `MySQL and MariaDB accept no parameter ${p.where}.`,
      hint: p.hint,
    }),
  ),
  'sql-values-of-query': error({ written: 'text' }, (p: { written: string }) => ({
    message: 'MariaDB turns a parameter in VALUES into an empty string, except in an INSERT.',
    hint: `Write the rows as SELECT … UNION ALL SELECT …, or CAST(${p.written} AS CHAR(100)) with a sufficient length.`,
  })),
  'sql-constant-frame': warning(() => ({
    message: 'MariaDB accepts no parameter in the frame of a window.',
    hint: 'Write the number itself, or one query for each number, each with its own `if`.',
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
  'sql-takes-no-parameters': error(
    { verb: 'word', hint: 'sentence' },
    (p: { verb: string; hint: string | undefined }) => ({
      message: `PostgreSQL accepts no parameters in ${p.verb}.`,
      hint: p.hint ?? 'Write the value itself, or one query for each value, each with its own `if`.',
    }),
  ),
  'sql-session': error({ statement: 'text', hint: 'sentence' }, (p: { statement: string; hint: string }) => ({
    message: `${p.statement} changes the connection, which other requests share.`,
    hint: p.hint,
  })),
  'sql-gives-no-rows': warning(
    { verb: 'word', hint: 'sentence' },
    (p: { verb: string; hint: string; type: Span | undefined }) => ({
      ...(p.type && { instead: 'UPDATE', insteadOf: p.type }),
      message: `This READ is always an empty list: ${p.verb} returns no rows.`,
      hint: p.hint,
    }),
  ),
  'sql-copy': error({ written: 'text', hint: 'sentence' }, (p: { written: string; hint: string }) => ({
    message: `${p.written} needs a client that copies: a service sends and receives no such data.`,
    hint: p.hint,
  })),
  'sql-read-changes': warning({ written: 'text' }, (p: { written: string; type: Span | undefined }) => ({
    ...(p.type && { instead: 'UPDATE', insteadOf: p.type }),
    message: `This READ changes data: ${p.written}.`,
    hint: `Write \`type: UPDATE\`${p.written.endsWith('RETURNING') ? '; its result is what RETURNING returns' : ''}.`,
  })),
  'sql-update-reads': warning({ verb: 'word' }, (p: { verb: string; type: Span | undefined }) => ({
    ...(p.type && { instead: 'READ', insteadOf: p.type }),
    // An UPDATE may be meant for what a function does.
    isSuggestion: true,
    message: `This UPDATE changes nothing: ${p.verb} only reads.`,
    hint: 'Write `type: READ`: a READ is repeated after a lost connection, and runs together with others.',
  })),
  'sql-every-row': warning({ verb: 'word' }, (p: { verb: string }) => ({
    message: `${p.verb} without WHERE ${p.verb === 'DELETE' ? 'removes' : 'changes'} every row.`,
    hint: 'Add a WHERE; if every row is meant, write WHERE true.',
  })),
  'sql-equals-null': warning(
    { written: 'text', instead: 'text' },
    (p: { written: string; instead: string }) => ({
      message: `'${p.written}' is never true: nothing equals NULL in SQL, and nothing differs from it.`,
      hint: `Write ${p.instead}.`,
      instead: p.instead,
    }),
  ),
  'sql-same-sides': warning(
    { written: 'text', column: 'text' },
    (p: { written: string; column: string }) => ({
      message: `'${p.written}' compares a column with itself, so it is true for every row where the column is not null.`,
      hint: `Write another value on one side, such as a placeholder with the value that ${p.column} must have.`,
    }),
  ),
  'sql-insert-count': error(
    { without: 'text' },
    (p: { columns: number; values: number; without?: string | undefined }) => ({
      message: `${counted(p.columns, 'column')} but ${counted(p.values, 'value')} in this INSERT.`,
      hint:
        p.without === undefined
          ? 'Name a column for each value.'
          : `Write a value for each column; the first without one is ${p.without}.`,
    }),
  ),
  'sql-column-proto': error({ written: 'text' }, (p: { written: string; isAlias: boolean }) => ({
    message: 'The MySQL driver cannot read a column named `__proto__`.',
    hint: p.isAlias ? 'Write another name after AS.' : `Write ${p.written} AS proto.`,
  })),
};

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}
