/** SQL syntax errors. Without a syntax tree, no other SQL rule runs. */
import { error } from './entry-messages.js';

export const sqlEntries = {
  'sql-empty': error(() => ({
    message: 'Empty SQL statement.',
    hint: 'Write one SQL statement, for example SELECT id, title FROM news.',
  })),
  'sql-several-statements': error(() => ({
    message: 'A query must be one statement; a second one begins here.',
    hint: 'Write one fulfillment for each statement. They run in order.',
  })),
  'sql-unterminated': error(
    { what: 'sentence', opener: 'word', closer: 'word', twice: 'word' },
    (p: { what: string; opener: string; closer: string; isCut: boolean; twice?: string | undefined }) => ({
      message: `Unclosed ${p.what}: ${p.isCut ? "YAML reads the text after ' #' as a comment" : `it begins here with ${p.opener}`}.`,
      hint: p.isCut
        ? "Write the SQL as a block ('query: |' and the statement on the next lines), or quote it."
        : p.twice === undefined
          ? `Close it with ${p.closer}.`
          : `Write ${p.twice}: a quote inside a string is written twice.`,
    }),
  ),
  'sql-parameter-count': error({}, (p: { markers: number; parameters: number; isQuoted: boolean }) => ({
    message: `The SQL has ${counted(p.markers, 'marker')} \`?\`, but \`parameters\` has ${p.parameters}.`,
    hint:
      p.markers > p.parameters
        ? `Add ${counted(p.markers - p.parameters, 'more item')} such as \`- param: PARAM(id)\` to \`parameters\`, in the order of the markers; or write \`??\` for a question mark.`
        : p.isQuoted
          ? 'Write ? without quotes: in quotes it is a string.'
          : 'Write one `?` for each parameter, in order, or remove the extra parameters.',
  })),
};

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}
