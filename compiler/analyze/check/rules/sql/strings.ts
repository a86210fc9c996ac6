/** Reports placeholders in strings, quoted names and comments. */
import { error } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../../read/source.js';
import { isExecutableComment, isLineComment, type EnclosedToken } from '../../../../read/sql/lexer/token.js';
import { spansLines } from '../../../../read/sql/lexer/unfold-yaml.js';
import { rewriteOf } from '../../../../read/sql/rewrite/meant-placeholder.js';
import type { SqlText } from '../../../../read/sql/sql-text.js';
import { oneQueryPerName } from '../../sql/grammar-messages.js';
import { rewriteLiteral } from '../../sql/rewrite-literal.js';
import { sqlRule } from '../../sql/sql-rule.js';

export const sqlPlaceholderInLiteral = sqlRule(
  {
    'sql-placeholder-in-literal': error(
      { written: 'text', rewrite: 'text', expressions: 'text' },
      (p: {
        written: string;
        rewrite: string | undefined;
        isSqlForm: boolean;
        /** The expressions of the placeholders in the string. */
        expressions: readonly string[];
        /** The string, if the rewrite replaces exactly the string. */
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
    'sql-comment-over-lines': error({ opener: 'word' }, (p: { opener: string }) => ({
      message: `YAML folds these lines into one, so the comment ${p.opener} hides everything after it.`,
      hint: 'Write the SQL as a block, `query: |` with the statement on the lines below, or remove the comment.',
    })),
    'sql-question-mark-in-comment': error(() => ({
      message: 'A `?` in a comment that some servers execute: the number of parameters is unknown.',
      hint: 'Move the `?` or the SQL out of the comment.',
    })),
  },
  (sql, report) => {
    const { text, dialect, form, tokens } = sql;
    for (const [index, token] of tokens.entries()) {
      if (!('closed' in token) || !token.closed) continue;
      const { kind, opener, closer, embedded } = token;
      if (isLineComment(token) && spansLines(text, token.start, token.end)) {
        report('sql-comment-over-lines', text.spanOf(token.start, token.start + opener.length), { opener });
        continue;
      }
      const [first] = embedded;
      if (first === undefined) {
        if (!isExecutableComment(token) || !token.text.includes('?')) continue;
        const mark = token.start + token.text.indexOf('?');
        report('sql-question-mark-in-comment', text.spanOf(mark, mark + 1));
        continue;
      }
      const foreign = first.end === undefined ? otherSyntaxIn(token, first.start, form) : undefined;
      const span = text.spanOf(first.start, first.end ?? foreign?.end ?? first.start + 2);
      if (kind === 'comment') report('sql-placeholder-in-comment', span);
      else if (kind === 'quoted-name') {
        const inside = token.text.slice(opener.length, -closer.length);
        const isWhole =
          first.end === token.end - closer.length && first.start === token.start + opener.length;
        report('sql-placeholder-in-name', span, { value: isWhole ? inside : undefined });
      } else {
        const isSqlForm = form.kind === 'sql';
        const rewrite =
          foreign === undefined
            ? rewriteLiteral(tokens, index, token, dialect, isSqlForm ? '?' : undefined)
            : { written: token.text, rewrite: foreign.rewrite };
        const expressions = embedded.map(({ start, end }) =>
          text.value.slice(start + 2, (end ?? start + 3) - 1),
        );
        const isWhole = rewrite.written === text.value.slice(token.start, token.end);
        const literal = isWhole ? text.spanOf(token.start, token.end) : undefined;
        report('sql-placeholder-in-literal', span, { ...rewrite, isSqlForm, expressions, literal });
      }
    }
  },
);

/**
 * The replacement for a string that contains a placeholder of the other syntax, and the end of that placeholder; undefined if there is
 * none.
 */
function otherSyntaxIn(
  { text, start, opener, closer }: EnclosedToken,
  from: number,
  form: SqlText['form'],
): { readonly rewrite: string; readonly end: number } | undefined {
  const [written, inner = ''] =
    /^:\[((?:param|body)[.[][^'"\]]+|(?:PARAM|BODY)\([^'"\]]+\))\]/.exec(text.slice(from - start)) ?? [];
  if (written === undefined || form.kind === 'sql') return undefined;
  const before = text.slice(opener.length, from - start);
  const after = text.slice(from - start + written.length, -closer.length);
  if (after.includes(':[')) return undefined;
  const quoted = (part: string): string[] => (part === '' ? [] : [opener + part + closer]);
  const pieces = [...quoted(before), rewriteOf(inner, form), ...quoted(after)];
  const rewrite = pieces.length === 1 ? pieces.join('') : `concat(${pieces.join(', ')})`;
  return { rewrite, end: from + written.length };
}
