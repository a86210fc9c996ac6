/** Diagnostics of expressions and placeholders. */
import type { Place } from '../../source.js';
import { isSure, nearest } from '../suggest.js';
import { error } from './entry-messages.js';

type SyntaxName = 'A' | 'B';

const whyThisSyntax: Record<SyntaxName, string> = {
  A: 'An operation without mappings, queries and join uses Syntax A.',
  B: 'An operation with mappings, queries or join uses Syntax B.',
};

/** What other languages call the functions of Syntax A. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['COUNT', 'SIZE'],
  ['LENGTH', 'SIZE'],
  ['LEN', 'SIZE'],
  ['STRING', 'TEXT'],
  ['STR', 'TEXT'],
  ['INT', 'INTEGER'],
  ['NUMBER', 'INTEGER'],
  ['FLOAT', 'DECIMAL'],
  ['DOUBLE', 'DECIMAL'],
  ['BOOL', 'BOOLEAN'],
  ['HEADER', 'PARAM'],
  ['QUERY', 'PARAM'],
  ['PATH', 'PARAM'],
  ['PARAMETER', 'PARAM'],
  ['FILE', 'MULTIPART_FILE'],
  ['RANGE', 'LIST'],
]);

/** A user's text in a message: one line without control characters, and not too long. */
function clip(text: string, length = 80): string {
  const line = text.slice(0, 4 * length).replace(/[\s\p{Cc}]+/gu, ' ');
  return text.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** A user's text in quotes, unless it has its own. */
function shown(text: string): string {
  return /^['"]/.test(text) ? clip(text) : `'${clip(text)}'`;
}

/** A constant that could be meant; where a name stands instead of digits, rather the parameter of that name. */
function exampleHint(example: string, written: string): string {
  return /^[A-Za-z_][\w-]*$/.test(written) && !example.startsWith('BOOLEAN')
    ? `Write ${example} for a constant, or PARAM(${clip(written)}) for a parameter.`
    : `Write ${example}.`;
}

export const expressionEntries = {
  'empty-expression': error(() => ({
    message: 'Expected an expression.',
    hint: 'Write an expression, or remove the field.',
  })),
  'empty-placeholder': error(() => ({
    message: 'Empty placeholder.',
    hint: 'Write an expression between :[ and ].',
  })),
  'unclosed-placeholder': error(() => ({
    message: "Unclosed placeholder: missing ']'.",
    hint: "Write ']' after the expression.",
  })),
  'placeholder-in-expression': error(() => ({
    message: 'Placeholder inside an expression.',
    hint: 'Write the expression without :[ and ].',
  })),
  'unclosed-parenthesis': error(() => ({
    message: "Unclosed '('.",
    hint: 'Write the missing \')\'. Quote a string that contains a single parenthesis: TEXT("a ) b").',
  })),
  'unclosed-quote': error((p: { quote: string }) => ({
    message: 'Unclosed quote.',
    hint: `Write another ${p.quote} where the string ends, and \\${p.quote} for a ${p.quote} inside it.`,
  })),
  'unknown-escape': error((p: { written: string }) => ({
    message: `Unknown escape ${shown(p.written)}.`,
    hint: `Write \\\\ for a backslash; the escapes are \\n \\t \\r \\b \\f \\/ \\\\ \\' \\" and \\u with four hexadecimal digits.`,
  })),
  'text-after-quote': error((p: { rest: string }) => ({
    message: `Unexpected ${shown(p.rest)} after the quoted string.`,
    hint: 'Quote the whole string, with a backslash before each quote inside it, or remove the quotes.',
  })),
  'typographic-character': error((p: { character: string; instead: string }) => ({
    message: `Typographic character '${p.character}'.`,
    hint: `Write ${p.instead}`,
    // These come in pairs.
    instead: /^['"()[\]{}]$/.test(p.instead) ? undefined : p.instead,
  })),
  'unknown-function': error((p: { name: string; known: readonly string[] }) => {
    const near = nearest(p.name, p.known);
    const meant = near ?? synonyms.get(p.name.toUpperCase());
    const isSynonym = near === undefined && p.name.toUpperCase() !== 'NUMBER';
    return {
      message: `Unknown function ${shown(p.name)}.`,
      hint:
        meant === undefined
          ? `The functions are ${p.known.join(', ')}. Write TEXT(…) for a string.`
          : `Did you mean '${meant}'?${meant === p.name.toUpperCase() ? ' Names of functions are in upper case.' : ''}`,
      instead: meant,
      isSuggestion: meant === undefined || !(isSure(p.name, p.known) || isSynonym),
      subject: p.name,
    };
  }),
  'function-without-parentheses': error((p: { form: string }) => ({
    message: 'Missing parentheses.',
    hint: `Write ${p.form}.`,
    instead: p.form === 'NULL()' ? p.form : undefined,
  })),
  'wrong-arguments': error((p: { form: string; instead: string; call: Place | undefined }) => ({
    message: `Wrong number of arguments: expected ${p.form}.`,
    hint:
      p.form.startsWith('PARAM(') &&
      p.call?.source.text.slice(p.call.start, p.call.end).includes(',') === true
        ? `Write ${clip(p.instead)}. Declare a default in the API description, or write it in the SQL: coalesce(:[…], 20).`
        : `Write ${clip(p.instead)}.`,
    instead: /<| or /.test(p.instead) ? undefined : p.instead,
    insteadOf: p.call,
  })),
  'malformed-name': error((p: { owner: 'parameter' | 'part' | 'fulfillment'; written: string }) => {
    const message = `${shown(p.written)} is not a valid ${p.owner} name.`;
    const [, source, path] = /^([\p{L}\p{N}_-]+)(\[.*)$/su.exec(p.written) ?? [];
    if (p.owner === 'fulfillment' && source !== undefined && path !== undefined) {
      return {
        message,
        hint: `Write the path as the second argument: VALUE(${source}, $${clip(path)}).`,
      };
    }
    const [, name] = /^\$\.([\p{L}\p{N}_-]+)$/u.exec(p.written) ?? [];
    if (p.owner === 'parameter' && name !== undefined)
      return { message, hint: `Write the name alone: PARAM(${name}).`, instead: name };
    const rule = 'Quote a name that has characters other than letters, digits, _, - and .';
    if (/^[^()[\]'"$@]+$/.test(p.written)) return { message, hint: `${rule}: "${clip(p.written)}".` };
    return { message, hint: `Write a plain name, not an expression or a path. ${rule}.` };
  }),
  'wrong-constant': error(
    (p: { written: string; why: string; instead: string; isExample: boolean; call: Place | undefined }) => ({
      message: `${shown(p.written)} ${p.why}.`,
      hint: p.isExample ? exampleHint(p.instead, p.written) : `Write ${clip(p.instead)}.`,
      instead: p.isExample ? undefined : p.instead,
      insteadOf: p.call,
    }),
  ),
  'list-count': error((p: { written: string; maximum: number }) => ({
    message: `${shown(p.written)} is not a valid number of elements.`,
    hint: `Write an integer from 0 to ${p.maximum}, or an expression that returns one, such as LIST(PARAM(pages)).`,
  })),
  'path-without-root': error((p: { written: string; instead: string }) => ({
    message: `The path ${shown(p.written)} must begin with $.`,
    hint: `Write ${clip(p.instead)}.`,
    instead: p.instead.includes(' ') ? undefined : p.instead,
  })),
  'path-fault': error((p: { written: string; instead: string }) => ({
    message: `Unexpected ${shown(p.written)} in a path.`,
    hint: `Write ${clip(p.instead, 160)}.`,
    // `$.name`, and what is said about it.
    instead: /^(\$[\w.[\]*-]+)(?: without quotes)?$/.exec(p.instead)?.[1],
  })),
  'path-without-source': error((p: { written: string }) => ({
    message: `Path ${shown(p.written)} without a value to read from.`,
    hint: `Write VALUE(<fulfillment>, ${clip(p.written)}), VALUE(@, ${clip(p.written)}) for the current element, or BODY(${clip(p.written)}).`,
  })),
  'path-in-syntax-b': error((p: { written: string; steps: string }) => ({
    message: `Path ${shown(p.written)} in Syntax B, which has no $.`,
    hint: `Write body${clip(p.steps)}, <fulfillment>${clip(p.steps)}, or @${clip(p.steps)} for the current element.`,
  })),
  'parameter-name': error((p: { written: string }) => ({
    message: `Missing parameter name in ${shown(p.written)}.`,
    hint: "Write param.<name>, or param['any name'].",
  })),
  'unknown-method': error((p: { written: string }) => ({
    message: `Unknown function ${shown(p.written)}: Syntax B has only .size().`,
    hint: 'Write .size() for the number of elements.',
  })),
  'no-functions-in-syntax-b': error((p: { name: string; given: string }) => ({
    message: `Unknown function ${shown(p.name)}: Syntax B has only .size().`,
    hint: /^(?:size|count|length|len)$/i.test(p.name)
      ? `Write ${clip(p.given)}.size().`
      : "Write a reference, such as param.id, body.title or news.title, or a string in quotes: 'text'.",
  })),
  'lower-case-word': error((p: { written: string; instead: string }) => ({
    message: `Unknown word '${p.written}'.`,
    hint: `Write ${p.instead} in lower case.`,
    instead: p.instead,
  })),
  'wrong-operator': error((p: { written: string; operator: string }) => ({
    message: `Unknown operator '${p.written}'.`,
    hint: `Write ${p.operator}`,
    instead: p.operator,
  })),
  'missing-operand': error((p: { written: string }) => ({
    message: `Missing operand at '${p.written}'.`,
    hint: 'Write the value to compare or test.',
  })),
  'chained-comparison': error((p: { first: string; second: string }) => ({
    message: 'Comparisons cannot be chained.',
    hint: `Write ${clip(p.first)} && ${clip(p.second)}.`,
  })),
  'stray-text': error((p: { written: string; inPlaceholder: boolean }) => ({
    message: `Unexpected ${shown(p.written)} after the end of the expression.`,
    hint:
      p.written === ')'
        ? 'Remove it, or quote a string that contains a single parenthesis: TEXT("a ) b").'
        : p.written === "'" || p.written === '"'
          ? `A quote inside a quoted string needs a backslash: \\${p.written}`
          : (calculationHint(p.written) ??
            (p.inPlaceholder
              ? "A placeholder has one expression. End it with ']'."
              : 'Join conditions with && or ||.')),
  })),
  'bare-text': error((p: { written: string; syntax: SyntaxName; yaml: string }) => {
    const text = clip(p.written);
    if (p.written.includes(':['))
      return {
        message: `An expression cannot contain placeholders: '${text}'.`,
        hint: `Build the string in the SQL, for example SELECT concat('No. ', id) AS label, and read ${p.syntax === 'A' ? 'VALUE(<fulfillment>, $.label)' : '<fulfillment>.label'} here.`,
      };
    const meant = meantReading(p.written, p.syntax);
    if (meant !== undefined) return { message: `'${text}' is not an expression.`, ...meant };
    const value = /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(text)
      ? `, or VALUE(${text}, $) for the result of fulfillment '${text}'`
      : '';
    return {
      message: `'${text}' is not an expression.`,
      hint:
        p.syntax === 'A'
          ? `Write TEXT(${text}) for a string${value}.`
          : `Write ${clip(p.yaml)} for a string.`,
      ...(p.syntax === 'B' ? { yamlInstead: p.yaml } : value === '' ? { instead: `TEXT(${p.written})` } : {}),
      isSuggestion: true,
    };
  }),
  'wrong-syntax': error((p: { written: string; found: SyntaxName; instead: string | undefined }) => {
    const syntax = p.found === 'A' ? 'B' : 'A';
    return {
      message: `${shown(p.written)} is Syntax ${p.found}, but this operation uses Syntax ${syntax}.`,
      hint:
        p.instead === undefined
          ? `Syntax ${syntax} has no equivalent. Its values are param.<name>, body.<field> and <fulfillment>.<field>.`
          : `Write ${clip(p.instead)}. ${whyThisSyntax[syntax]}`,
      instead: p.instead,
    };
  }),
  'expression-too-deep': error((p: { maximum: number }) => ({
    message: `More than ${p.maximum} levels of nesting.`,
    hint: 'Remove unneeded parentheses, or split the condition over several fulfillments.',
  })),
  'expression-too-long': error((p: { maximum: number }) => ({
    message: `More than ${p.maximum} operators in one expression.`,
    hint: 'Compare in the SQL or in a LOOP.',
  })),
};

/** What to do instead of calculating in an expression; undefined where nothing of that sort is written. */
function calculationHint(written: string): string | undefined {
  if (/^(?:[+*/%]|-.*)$/.test(written))
    return 'Expressions do not calculate or join strings. Do it in the SQL, for example SELECT price * 2 AS total, and read the column here.';
  return written === '?'
    ? "Expressions have no '? :' and no '??'. Write CASE WHEN … THEN … ELSE … END or coalesce(…) in the SQL, or give a response an 'if'."
    : undefined;
}

/** `BODY.title`, `TRUE` and `news?.title` are habits of other languages. */
function meantReading(
  written: string,
  syntax: SyntaxName,
): { readonly hint: string; readonly instead?: string } | undefined {
  const [, source, name = ''] = /^(BODY|PARAM)\.([\p{L}\p{N}_.-]+)$/u.exec(written) ?? [];
  if (syntax === 'A' && source !== undefined) {
    const instead = source === 'BODY' ? `BODY($.${name})` : `PARAM(${name})`;
    return { hint: `Write ${clip(instead)}.`, instead };
  }
  if (syntax === 'A' && /^(?:true|false|null)$/i.test(written)) {
    const instead = /^null$/i.test(written) ? 'NULL()' : `BOOLEAN(${written.toLowerCase()})`;
    return { hint: `Write ${instead}.`, instead };
  }
  if (syntax === 'B' && /^[\p{L}\p{N}_.[\]]+\?\.[\p{L}\p{N}_.?[\]]+$/u.test(written))
    return { hint: `Write ${clip(written.replaceAll('?.', '.'))}: what is missing is null.` };
  return undefined;
}
