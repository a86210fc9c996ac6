/** Diagnostics of SQL texts (decisions 5). */
import type { Place } from '../../source.js';
import { error, warning } from './entry-messages.js';

const oneQueryPerName = 'Write one query for each name, each with its own `if`.';

function insteadOfLength(type: string): string {
  if (/^(?:numeric|dec|decimal)$/.test(type)) return ', or round( … ) with the placeholder for the digits';
  return /char|varying/.test(type) ? ', or left( … ) with the placeholder for the length' : '';
}

export const sqlEntries = {
  'sql-empty': error(() => ({
    message: 'The SQL text holds no statement.',
    hint: 'Write one SQL statement.',
  })),
  'sql-several-statements': error(() => ({
    message: 'A second statement begins here, and a query is one statement.',
    hint: 'Write one fulfillment for each statement; they run in the order listed.',
  })),
  'sql-unknown-statement': warning((p: { word: string; dialect: string }) => ({
    message: `${p.dialect} knows no statement that begins with '${p.word}'.`,
  })),
  'sql-not-a-statement': error(() => ({
    message: 'The SQL text does not begin with a verb such as SELECT or INSERT.',
    hint: 'Write one SQL statement.',
  })),
  'sql-unterminated': error((p: { what: string; opener: string; closer: string }) => ({
    message: `The ${p.what} that begins here with ${p.opener} never ends.`,
    hint: `Close it with ${p.closer}.${p.closer === "'" ? " A quote inside a string is written twice: 'it''s'." : ''}`,
  })),
  'sql-comment-over-lines': error((p: { opener: string }) => ({
    message: `YAML joins these lines to one, so the comment ${p.opener} takes away all that follows it.`,
    hint: 'Write the text as a block, `query: |` with the SQL on the lines below, or take the comment away.',
  })),
  'sql-placeholder-in-literal': error(
    (p: {
      written: string;
      rewrite: string | undefined;
      isSqlForm: boolean;
      /** The string, where the rewrite is about all of it and nothing else. */
      literal: Place | undefined;
    }) => ({
      message:
        'A placeholder inside a string is no parameter: the server would take its characters as they are.',
      hint:
        p.rewrite === undefined
          ? 'End the string before the placeholder and join the pieces with concat( … ).'
          : `Write ${p.rewrite} instead of ${p.written}${p.isSqlForm ? ', and list its expression under `parameters`' : ''}.`,
      ...(p.literal && !p.isSqlForm && { instead: p.rewrite, insteadOf: p.literal }),
    }),
  ),
  'sql-placeholder-in-name': error((p: { value: string | undefined }) => ({
    message: 'A placeholder stands for a value, and inside a quoted name there can be none.',
    hint:
      p.value === undefined
        ? oneQueryPerName
        : `For a value write ${p.value} without the quotes. ${oneQueryPerName}`,
  })),
  'sql-placeholder-in-comment': error(() => ({
    message: 'A placeholder inside a comment is no parameter.',
    hint: 'Take the placeholder out of the comment, or take the comment away.',
  })),
  'sql-placeholder-in-sql-form': error((p: { written: string; expression: string }) => ({
    message: 'In the `sql` form a parameter is written `?`.',
    hint: `Write ? instead of ${p.written} and add \`- param: ${p.expression}\` to \`parameters\`; or write the text as \`query\`.`,
  })),
  'sql-positional-parameter': error((p: { written: string; marker: string }) => ({
    message: `${p.written} is the number of a parameter, and the compiler numbers the parameters itself.`,
    hint: `Write ${p.marker} for a value.`,
  })),
  'sql-named-parameter': error((p: { written: string; rewrite: string }) => ({
    message: `${p.written} is not a placeholder.`,
    hint: `Write ${p.rewrite} for a value.`,
    instead: p.rewrite === '?' ? undefined : p.rewrite,
  })),
  'sql-question-mark': error((p: { reason: string; marker: string }) => ({
    message: `${p.reason}, and no value belongs to it.`,
    hint: `Write ${p.marker} for a value.`,
  })),
  'sql-question-mark-in-comment': error(() => ({
    message:
      'Some servers run the text of this comment and some do not, so the number of parameters is not known.',
    hint: 'Take the `?` out of the comment, or the SQL out of it.',
  })),
  'sql-parameter-count': error((p: { markers: number; parameters: number }) => ({
    message: `The SQL text has ${counted(p.markers, 'marker')} \`?\`, and \`parameters\` lists ${p.parameters}.`,
    hint: 'Every `?` outside strings and comments is the next of the `parameters`; a literal question mark is `??`.',
  })),
  'sql-placeholder-as-statement': error(() => ({
    message: 'A placeholder is always a value and cannot hold SQL.',
    hint: 'Write the SQL here, with placeholders for its values.',
  })),
  'sql-placeholder-as-name': error((p: { where: string }) => ({
    message: `A placeholder is always a value, and ${p.where} stands a name.`,
    hint: oneQueryPerName,
  })),
  'sql-placeholder-as-type': error(() => ({
    message: 'A placeholder is always a value, and after `::` stands the name of a type.',
    hint: 'Write the type, such as ::date.',
  })),
  'sql-placeholder-in-type': error((p: { type: string }) => ({
    message: `A type is the same for every call, and a value cannot stand in ${p.type}( … ).`,
    hint: `Write the number${insteadOfLength(p.type)}.`,
  })),
  'sql-placeholder-after-type': error((p: { type: string; rewrite: string }) => ({
    message: `${p.type} can stand before a string, but not before a parameter.`,
    hint: `Write ${p.rewrite}.`,
  })),
  'sql-in-without-parentheses': error((p: { rewrite: string }) => ({
    message: 'IN needs parentheses; an array inside them stands for its elements.',
    hint: `Write ${p.rewrite}.`,
    // The placeholder alone is marked.
    instead: p.rewrite.replace(/^IN /, ''),
  })),
  'sql-values-without-parentheses': error((p: { rewrite: string }) => ({
    message: 'VALUES needs parentheses around each row.',
    hint: `Write ${p.rewrite}, with one placeholder for each column.`,
  })),
  'sql-parenthesis': error((p: { written: string }) => ({
    message: p.written === '(' ? "Unclosed '('." : "Unmatched ')'.",
    hint: p.written === '(' ? "Write the missing ')'." : "Remove it, or write the '(' that it belongs to.",
  })),
  'sql-misspelt-keyword': error((p: { written: string; keyword: string }) => ({
    message: `Unknown keyword '${p.written}'.`,
    hint: `Write ${p.keyword}.`,
    instead: p.written === p.written.toLowerCase() ? p.keyword.toLowerCase() : p.keyword,
  })),
  'sql-unexpected': error((p: { written: string; before: string; hint: string }) => ({
    message: `Unexpected '${p.written}' after '${p.before}'.`,
    hint: p.hint,
  })),
  'sql-constant-only': error((p: { where: string; hint: string }) => ({
    message: `MySQL and MariaDB take no parameter ${p.where}.`,
    hint: p.hint,
  })),
  'sql-values-of-query': error((p: { written: string }) => ({
    message: 'MariaDB makes an empty string of a parameter in VALUES, unless an INSERT stores it.',
    hint: `Write the rows as SELECT … UNION ALL SELECT …, or CAST(${p.written} AS CHAR(100)) with a length that is enough.`,
  })),
  'sql-constant-frame': warning(() => ({
    message: 'MariaDB takes no parameter in the frame of a window.',
    hint: 'Write the number itself, or one query for each number, each with its own `if`.',
  })),
  'sql-pattern-without-quotes': error((p: { rewrite: string }) => ({
    message: 'The % of a pattern is text and belongs in quotes.',
    hint: `Write ${p.rewrite}.`,
  })),
  'sql-placeholder-as-direction': error(() => ({
    message: 'A placeholder is always a value and cannot be ASC or DESC.',
    hint: 'Write one query for each order, each with its own `if`.',
  })),
  'sql-sort-by-constant': warning((p: { clause: string; placeholder: string }) => ({
    message: `${p.clause} BY a placeholder sees the same value in every row and does nothing: a value is no column.`,
    hint: `Write one query for each column, each with its own \`if\`, or CASE WHEN ${p.placeholder} = 'title' THEN title END.`,
  })),
  'sql-takes-no-parameters': error((p: { verb: string; hint: string | undefined }) => ({
    message: `PostgreSQL takes no parameters in ${p.verb}.`,
    hint: p.hint ?? 'Write the value itself, or one query for each value, each with its own `if`.',
  })),
  'sql-session': error((p: { statement: string; hint: string }) => ({
    message: `${p.statement} changes the connection, which other requests use too.`,
    hint: p.hint,
  })),
  'sql-gives-no-rows': warning((p: { verb: string; hint: string }) => ({
    message: `This READ is always an empty list: ${p.verb} gives no rows.`,
    hint: p.hint,
  })),
  'sql-read-changes': warning((p: { verb: string }) => ({
    message: `This READ changes data: ${p.verb} … RETURNING.`,
    hint: 'Write `type: UPDATE`; its result is what RETURNING returns.',
  })),
  'sql-update-reads': warning((p: { verb: string }) => ({
    message: `This UPDATE changes nothing: ${p.verb} only reads.`,
    hint: 'Write `type: READ`: a READ is repeated after a lost connection, and runs together with others.',
  })),
  'sql-every-row': warning((p: { verb: string }) => ({
    message: `${p.verb} without WHERE ${p.verb === 'DELETE' ? 'removes' : 'changes'} every row.`,
    hint: 'Add a WHERE; if every row is meant, write WHERE true.',
  })),
  'sql-insert-count': error((p: { columns: number; values: number; without?: string | undefined }) => ({
    message: `${counted(p.columns, 'column')} but ${counted(p.values, 'value')} in this INSERT.`,
    hint:
      p.without === undefined
        ? 'Name a column for each value.'
        : `Write a value for each column; the first without one is ${p.without}.`,
  })),
  'sql-column-proto': error(() => ({
    message: 'The MySQL driver cannot read a column named `__proto__`.',
    hint: 'Give the column another name with AS.',
  })),
};

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}
