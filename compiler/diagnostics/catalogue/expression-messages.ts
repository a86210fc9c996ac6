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

const listExample = 'LIST(10) is the integers from 0 to 9.';

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

/** `$news.title`, `${news.title}`: how other languages read a variable. */
const foreignPath = /^\$\{?\{?([\p{L}_][\p{L}\p{N}_-]*)\.([\p{L}\p{N}_.-]+?)\}{0,2}$/u;

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
  'unclosed-parenthesis': error(
    (p: {
      /** What the `)` belongs before; undefined at the end of the expression. */
      before: string | undefined;
      /** Where it belongs; undefined where nobody can tell. */
      at: Place | undefined;
      isText: boolean;
      isSure: boolean;
    }) => ({
      message: "Unclosed '('.",
      hint: p.isText
        ? 'Write \')\' at the end. Quote a string that contains a single parenthesis: TEXT("a ) b").'
        : p.before === undefined
          ? "Write ')' at the end of the expression."
          : `Write ')' before ${shown(p.before)}.`,
      ...(p.at && { edits: [{ start: p.at.start, end: p.at.start, text: ')' }] }),
      isSuggestion: !p.isSure,
    }),
  ),
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
  'unknown-function': error(
    (p: { name: string; known: readonly string[]; given: string; call: Place | undefined }) => {
      const other = insteadOfFunction(p.name, p.given);
      if (other !== undefined) {
        return {
          message: `Unknown function ${shown(p.name)}.`,
          hint: other.hint,
          instead: other.instead,
          insteadOf: p.call,
          isSuggestion: p.call === undefined,
        };
      }
      const near = nearest(p.name, p.known);
      const meant = near ?? synonyms.get(p.name.toUpperCase());
      const isSynonym = near === undefined && p.name.toUpperCase() !== 'NUMBER';
      return {
        message: `Unknown function ${shown(p.name)}.`,
        hint:
          meant === undefined
            ? `The functions are ${p.known.join(', ')}. Write TEXT(…) for a string.`
            : `Did you mean '${meant}'?${meant === p.name.toUpperCase() ? ' Names of functions are in upper case.' : ''}${meant === 'LIST' ? ` ${listExample}` : ''}`,
        instead: meant,
        isSuggestion: meant === undefined || !(isSure(p.name, p.known) || isSynonym),
        subject: p.name,
      };
    },
  ),
  'function-without-parentheses': error((p: { form: string }) => ({
    message: 'Missing parentheses.',
    hint: `Write ${p.form}.`,
    instead: p.form === 'NULL()' ? p.form : undefined,
  })),
  'wrong-arguments': error(
    (p: { form: string; instead: string; call: Place | undefined; isGuess?: boolean }) => ({
      message: `Wrong number of arguments: expected ${p.form}.`,
      hint:
        p.form.startsWith('PARAM(') &&
        p.call?.source.text.slice(p.call.start, p.call.end).includes(',') === true
          ? `Write ${clip(p.instead)}. Declare a default in the API description, or write it in the SQL: coalesce(:[…], 20).`
          : `Write ${clip(p.instead)}.${p.form.startsWith('LIST(') ? ` ${listExample}` : ''}`,
      instead: /<| or /.test(p.instead) ? undefined : p.instead,
      insteadOf: p.call,
      isSuggestion: p.isGuess === true,
    }),
  ),
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
    const rule = "Quote a name that has characters other than letters, digits, '_', '-' and '.'";
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
  'path-without-source': error((p: { written: string }) => {
    const [, owner, path] = foreignPath.exec(p.written) ?? [];
    const message = `Path ${shown(p.written)} without a value to read from.`;
    if (owner !== undefined && path !== undefined) {
      const instead = readingInA(owner, path);
      return { message, hint: `Write ${clip(instead)}.`, instead };
    }
    const steps = clip(p.written.startsWith('.') ? `$${p.written}` : p.written);
    return {
      message,
      hint: `Write VALUE(<fulfillment>, ${steps}), VALUE(@, ${steps}) for the current element, or BODY(${steps}).`,
    };
  }),
  'path-in-syntax-b': error((p: { written: string; steps: string }) => {
    const message = `Path ${shown(p.written)} in Syntax B, which has no $.`;
    const [, owner, path] = foreignPath.exec(p.written) ?? [];
    if (owner !== undefined && path !== undefined)
      return { message, hint: `Write ${clip(`${owner}.${path}`)}.`, instead: `${owner}.${path}` };
    return {
      message,
      hint: `Write body${clip(p.steps)}, <fulfillment>${clip(p.steps)}, or @${clip(p.steps)} for the current element.`,
    };
  }),
  'parameter-name': error((p: { written: string }) => ({
    message: `Missing parameter name in ${shown(p.written)}.`,
    hint: "Write param.<name>, or param['any name'].",
  })),
  'unknown-method': error((p: { written: string }) => {
    const message = `Unknown function ${shown(p.written)}: Syntax B has only .size().`;
    const [, name = '', given = ''] = /^\.([\p{L}_]+)\((.*?)\)?$/su.exec(p.written) ?? [];
    if (/^(?:len|length|count|getsize)$/i.test(name))
      return { message, hint: 'Write .size() for the number of elements.', instead: '.size()' };
    if (/^is_?(?:null|empty|blank|missing)$/i.test(name))
      return { message, hint: "Write ' == null' instead.", instead: ' == null' };
    if (/^equals(?:ignorecase)?$/i.test(name) && given !== '')
      return {
        message,
        hint: `Write == ${clip(given)}.`,
        instead: /^equals$/i.test(name) ? ` == ${given}` : undefined,
      };
    return {
      message,
      hint: 'Do anything else in the SQL, and read the column here; .size() is the number of elements.',
    };
  }),
  'no-functions-in-syntax-b': error((p: { name: string; given: string; call: Place | undefined }) => {
    const message = `Unknown function ${shown(p.name)}: Syntax B has only .size().`;
    const name = /^['"]?([\p{L}_][\p{L}\p{N}_-]*)['"]?$/u.exec(p.given)?.[1];
    const isReference = /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(p.given);
    const instead =
      /^(?:size|count|length|len)$/i.test(p.name) && isReference
        ? `${p.given}.size()`
        : /^params?$/i.test(p.name) && name !== undefined
          ? `param.${name}`
          : /^is_?(?:null|empty)$|^empty$/i.test(p.name) && isReference
            ? `${p.given} == null`
            : undefined;
    if (instead !== undefined)
      return {
        message,
        hint: `Write ${clip(instead)}.`,
        instead,
        insteadOf: p.call,
        isSuggestion: p.call === undefined,
      };
    const sql = sqlFunctions.test(p.name.toUpperCase().replaceAll('_', ''));
    return {
      message,
      hint: sql
        ? `Call it in the SQL, for example SELECT ${p.name.toLowerCase()}(…) AS result, and read the column here.`
        : "Write a reference, such as param.id, body.title or news.title, or a string in quotes: 'text'.",
    };
  }),
  'lower-case-word': error((p: { written: string; instead: string }) => ({
    message: `Unknown word '${p.written}'.`,
    hint: `Write ${p.instead} in lower case.`,
    instead: p.instead,
  })),
  'wrong-operator': error((p: { written: string; operator: string }) => ({
    message: `Unknown operator '${p.written}'.`,
    hint:
      p.operator === '.'
        ? 'Write a dot before a field: news.title. What is missing is null.'
        : `Write ${p.operator}`,
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
  'stray-text': error((p: { written: string; inPlaceholder: boolean; instead?: string; call?: Place }) => ({
    message: `Unexpected ${shown(p.written)} after the end of the expression.`,
    ...(p.instead !== undefined && { instead: p.instead, insteadOf: p.call }),
    hint:
      p.instead !== undefined
        ? `Write ${clip(p.instead)}.`
        : p.written === ')'
          ? 'Remove it, or quote a string that contains a single parenthesis: TEXT("a ) b").'
          : p.written === "'" || p.written === '"'
            ? `A quote inside a quoted string needs a backslash: \\${p.written}`
            : (calculationHint(p.written) ??
              comparisonHint(p.written) ??
              (p.inPlaceholder
                ? "A placeholder has one expression. End it with ']'."
                : 'Join conditions with && or ||.')),
  })),
  'bare-text': error((p: { written: string; syntax: SyntaxName; yaml: string; isCounted?: boolean }) => {
    const text = clip(p.written);
    if (p.isCounted === true)
      return {
        message: `'${text}' is not an expression.`,
        hint: `Write VALUE(${text}, $) for the result of fulfillment '${text}'.`,
        instead: `VALUE(${p.written}, $)`,
      };
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

const sqlFunctions =
  /^(?:CONCAT|COALESCE|IFNULL|NVL|UPPER|LOWER|TRIM|SUBSTR|SUBSTRING|REPLACE|ROUND|ABS|SUM|AVG|MIN|MAX|NOW|TODAY|CURRENTDATE|CURRENTTIMESTAMP|DATE|UUID|RANDOM|FORMAT|IF|IIF|CASE|JOIN|SPLIT)$/;

/** What to write instead of a function that other languages have; `given`: its arguments. */
function insteadOfFunction(
  written: string,
  given: string,
): { readonly hint: string; readonly instead?: string } | undefined {
  const name = written.toUpperCase().replaceAll('_', '');
  if (sqlFunctions.test(name))
    return {
      hint: `Call it in the SQL, for example SELECT ${written.toLowerCase()}(…) AS result, and read the column here.`,
    };
  const isList = /^(?:VALUE|BODY)\(/.test(given);
  const instead =
    given === ''
      ? /^(?:TRUE|FALSE)$/.test(name)
        ? `BOOLEAN(${name.toLowerCase()})`
        : undefined
      : /^(?:ISNULL|ISMISSING)$/.test(name) || (/^(?:IS)?(?:EMPTY|BLANK)$/.test(name) && !isList)
        ? `${given} == NULL()`
        : /^(?:IS)?EMPTY$/.test(name)
          ? `SIZE(${given}) == INTEGER(0)`
          : /^(?:EXISTS|DEFINED|ISSET|NOTNULL|ISNOTNULL|HASVALUE|NOTEMPTY)$/.test(name)
            ? `${given} != NULL()`
            : undefined;
  return instead === undefined ? undefined : { hint: `Write ${clip(instead)}.`, instead };
}

/** What to do instead of calculating in an expression; undefined where nothing of that sort is written. */
function calculationHint(written: string): string | undefined {
  if (/^(?:[+*/%]|-.*)$/.test(written))
    return 'Expressions do not calculate or join strings. Do it in the SQL, for example SELECT price * 2 AS total, and read the column here.';
  return written === '?'
    ? "Expressions have no '? :' and no '??'. Write CASE WHEN … THEN … ELSE … END or coalesce(…) in the SQL, or give a response an 'if'."
    : undefined;
}

/** A field of what other languages call `owner.path`. */
function readingInA(owner: string, path: string): string {
  if (/^params?$/i.test(owner)) return `PARAM(${path})`;
  return owner === 'body' ? `BODY($.${path})` : `VALUE(${owner}, $.${path})`;
}

/** What to do instead of a comparison that expressions do not have. */
function comparisonHint(written: string): string | undefined {
  const word = written.toLowerCase().replace(/^\./, '');
  if (word === 'in') return 'Compare with each value: a == b || a == c.';
  if (written === '[') return 'Expressions have no lists. Whether a result has rows is told by its size.';
  if (/^(?:isnull|isempty|isblank|empty)$/.test(word))
    return 'Compare with null, or compare the size with 0.';
  if (/^(?:equals|is)$/.test(word)) return 'Write == between the two values.';
  return /^(?:i?like|rlike|regexp|matches|contains|includes|between|(?:starts|ends)_?with|tolowercase|touppercase|lower|upper|trim|substring|=~|!~)$/.test(
    word,
  )
    ? "Do it in the SQL, for example SELECT title LIKE 'A%' AS matches, and read the column here."
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
  if (
    syntax === 'A' &&
    /^(?:true|false|null|TRUE|FALSE|NULL|True|False|Null|undefined|nil|None)$/.test(written)
  ) {
    const instead = /^(?:null|undefined|nil|none)$/i.test(written)
      ? 'NULL()'
      : `BOOLEAN(${written.toLowerCase()})`;
    return { hint: `Write ${instead}.`, instead };
  }
  const [, owner, path] =
    /^\$?\{{1,2}\s*([\p{L}_][\p{L}\p{N}_-]*)\.([\p{L}\p{N}_.-]+)\s*\}{1,2}$/u.exec(written) ?? [];
  if (owner !== undefined && path !== undefined) {
    const instead = syntax === 'A' ? readingInA(owner, path) : `${owner}.${path}`;
    return { hint: `Write ${clip(instead)}.`, instead };
  }
  const [, looped] =
    syntax === 'A'
      ? (/^(?:for\s+)?(?:each\s+)?[a-z]\w*\s+(?:in|of)\s+([A-Z_]+\(.*\))$/s.exec(written) ?? [])
      : [];
  if (looped !== undefined)
    return { hint: `Write ${clip(looped)}. The current element is VALUE(@, $).`, instead: looped };
  const [, one, other] =
    syntax === 'B'
      ? (/^(?:(?:(?:left|right|inner|outer|full)\s+)*join\s+\w+\s+)?on\s+([\w.-]+)\s*={1,3}\s*([\w.-]+)$/i.exec(
          written,
        ) ?? [])
      : [];
  if (one !== undefined && other !== undefined)
    return { hint: `Write ${one} == ${other}.`, instead: `${one} == ${other}` };
  if (syntax === 'B' && /^[\p{L}\p{N}_.[\]]+\?\.[\p{L}\p{N}_.?[\]]+$/u.test(written))
    return { hint: `Write ${clip(written.replaceAll('?.', '.'))}: what is missing is null.` };
  return undefined;
}
