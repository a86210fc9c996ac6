/** Diagnostics about expressions and placeholders. The file is long because there are many. */
import type { Span } from '../../source.js';
import { isUnambiguous, nearest } from '../suggest.js';
import { error, meantOr } from './entry-messages.js';
import { words } from '../marks.js';

type SyntaxName = 'A' | 'B';

/** As in the syntax tree. */
type Place = 'header' | 'query' | 'cookie';

const whyThisSyntax: Record<SyntaxName, string> = {
  A: 'An operation without mappings, queries and join uses Syntax A.',
  B: 'An operation with mappings, queries or join uses Syntax B.',
};

/** Names used by other languages for functions of Syntax A. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['COUNT', 'SIZE'],
  ['LEN', 'SIZE'],
  ['STRING', 'TEXT'],
  ['STR', 'TEXT'],
  ['INT', 'INTEGER'],
  ['NUMBER', 'INTEGER'],
  ['FLOAT', 'DECIMAL'],
  ['DOUBLE', 'DECIMAL'],
  ['BOOL', 'BOOLEAN'],
  ['PATH', 'PARAM'],
  ['PARAMETER', 'PARAM'],
  ['FILE', 'MULTIPART_FILE'],
  ['RANGE', 'LIST'],
  ['IFNULL', 'COALESCE'],
  ['NVL', 'COALESCE'],
  ['ISNULL', 'COALESCE'],
  ['JOIN', 'CONCAT'],
  ['TODAY', 'NOW'],
  ['CURRENT_TIMESTAMP', 'NOW'],
  ['GETDATE', 'NOW'],
  ['GUID', 'UUID'],
  ['NEWID', 'UUID'],
  ['RAND', 'RANDOM'],
  ['SHA_256', 'SHA256'],
  ['SHA2', 'SHA256'],
  ['LOWERCASE', 'LOWER'],
  ['TOLOWER', 'LOWER'],
  ['GETENV', 'ENV'],
]);

/** The functions of Syntax B that have values, for messages. */
const functionsOfB = [
  ...['concat', 'coalesce', 'now', 'uuid', 'random', 'sha256', 'length', 'lower', 'hash', 'verify'],
  ...['outdated', 'token', 'code', 'address', 'env'],
];

const listExample = 'It is the list of the integers from 0 to 9.';

interface BareText {
  readonly written: string;
  readonly syntax: SyntaxName;
  readonly yaml: string;
  readonly isCounted?: boolean;
  /** The fulfillment that may be intended. */
  readonly result?: string | undefined;
  /** The probable meaning of the bare word in its context. */
  readonly bareWord?: 'query' | 'column' | 'file' | 'secret' | undefined;
  /** The expression inside another language's braces. */
  readonly inside?: string;
}

/** User text in a message: a single line without control characters, of limited length. */
function clip(text: string, length = 80): string {
  const line = text.slice(0, 4 * length).replace(/[\s\p{Cc}]+/gu, ' ');
  return text.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** User text in quotes, unless it is already quoted. */
function shown(text: string): string {
  return /^['"]/.test(text) ? clip(text) : `'${clip(text)}'`;
}

/** Suggests a constant; for a name instead of digits, the parameter of that name. */
function exampleHint(example: string, written: string): string {
  return /^[A-Za-z_][\w-]*$/.test(written) && !example.startsWith('BOOLEAN')
    ? `Write ${example} for a constant, or PARAM(${clip(written)}) for a parameter.`
    : `Write ${example}.`;
}

/** A variable as in other languages: `$news.title`, `${news.title}`. */
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
    { before: 'text' },
    (p: {
      /** The text before which the `)` is missing; undefined at the end of the expression. */
      before: string | undefined;
      /** The position of the missing `)`; undefined if unknown. */
      at: Span | undefined;
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
  'unclosed-quote': error({ quote: 'text' }, (p: { quote: string }) => ({
    message: 'Unclosed quote.',
    hint: `Write another ${p.quote} where the string ends, and \\${p.quote} for a ${p.quote} inside it.`,
  })),
  'unknown-escape': error({ written: 'text' }, (p: { written: string }) => ({
    message: `Unknown escape ${shown(p.written)}.`,
    hint: `Write \\\\ for a backslash; the escapes are \\n \\t \\r \\b \\f \\/ \\\\ \\' \\" and \\u with four hexadecimal digits.`,
  })),
  'text-after-quote': error({ rest: 'text' }, (p: { rest: string }) => ({
    message: `Unexpected ${shown(p.rest)} after the quoted string.`,
    hint: 'Quote the whole string, with a backslash before each quote inside it, or remove the quotes.',
  })),
  'typographic-character': error(
    { character: 'text', instead: 'text', text: 'text' },
    (p: { character: string; instead: string; text?: string }) => ({
      message: `Typographic character '${p.character}'.`,
      hint: p.text === undefined ? `Write ${p.instead}` : `Write TEXT(${clip(p.text)}) for a string.`,
      // Paired characters cannot be fixed alone.
      instead: /^['"()[\]{}]$/.test(p.instead) ? undefined : p.instead,
    }),
  ),
  'unknown-function': error(
    { name: 'text', known: 'word', args: 'text' },
    (p: { name: string; known: readonly string[]; args: string; call: Span | undefined }) => {
      const other = insteadOfFunction(p.name, p.args);
      if (other !== undefined) {
        return {
          message: `Unknown function ${shown(p.name)}.`,
          hint: other.hint,
          instead: other.instead,
          insteadOf: p.call,
          isSuggestion: p.call === undefined,
        };
      }
      const synonym = synonyms.get(p.name.toUpperCase());
      const meant = synonym ?? nearest(p.name, p.known);
      const isSynonym = synonym !== undefined && p.name.toUpperCase() !== 'NUMBER';
      return {
        message: `Unknown function ${shown(p.name)}.`,
        hint:
          meant === undefined
            ? `The functions are ${p.known.join(', ')}. Write TEXT(…) for a string.`
            : `Did you mean '${meant}'?${meant === p.name.toUpperCase() ? ' Names of functions are in upper case.' : ''}${meant === 'LIST' ? ` ${listExample}` : ''}`,
        instead: meant,
        isSuggestion: meant === undefined || !(isUnambiguous(p.name, p.known) || isSynonym),
        subject: p.name,
      };
    },
  ),
  'function-without-parentheses': error({ form: 'word' }, (p: { form: string }) => ({
    message: 'Missing parentheses.',
    hint: `Write ${p.form}.`,
    instead: p.form === 'NULL()' ? p.form : undefined,
  })),
  'wrong-arguments': error(
    { form: 'word', instead: 'text' },
    (p: {
      form: string;
      instead: string;
      call: Span | undefined;
      isGuess?: boolean;
      isReordered?: boolean;
    }) => ({
      message: `${p.isReordered === true ? 'The arguments are in another order' : 'Wrong number of arguments'}: expected ${p.form}.`,
      hint:
        p.form.startsWith('PARAM(') &&
        p.call?.source.text.slice(p.call.start, p.call.end).includes(',') === true
          ? `Write ${clip(p.instead)}. Declare a default in the API description, or write it in the SQL: coalesce(:[${clip(p.instead)}], ${defaultOf(p.call.source.text.slice(p.call.start, p.call.end))}).`
          : `Write ${p.form.startsWith('LIST(') ? 'LIST(10)' : clip(p.instead)}.${p.form.startsWith('LIST(') ? ` ${listExample}` : ''}`,
      instead: /<| or /.test(p.instead) ? undefined : p.instead,
      insteadOf: p.call,
      isSuggestion: p.isGuess === true,
    }),
  ),
  'default-not-constant': error(() => ({
    message: 'The default of an environment variable must be a constant.',
    hint: 'Write a constant, or COALESCE(ENV(NAME, NULL()), …) for any other value.',
  })),
  'malformed-name': error(
    {
      owner: words(
        ...(['header', 'query', 'cookie', 'parameter', 'part', 'fulfillment', 'variable'] as const),
        ...(['authentication', 'function'] as const),
      ),
      written: 'text',
    },
    (p: {
      owner: 'parameter' | Place | 'part' | 'fulfillment' | 'variable' | 'authentication' | 'function';
      written: string;
    }) => {
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
      if (p.owner === 'variable')
        return { message, hint: 'Write its name alone, of letters, digits and _, such as ENV(SHOP_URL).' };
      const rule = "Quote a name that has characters other than letters, digits, '_', '-' and '.'";
      const [, inner] = /^TEXT\(([\p{L}_][\p{L}\p{N}_-]*)\)$/u.exec(p.written) ?? [];
      if (inner !== undefined) return { message, hint: `Write the name alone: ${inner}.`, instead: inner };
      if (/^[^()[\]'"$@]+$/.test(p.written)) return { message, hint: `${rule}: "${clip(p.written)}".` };
      return { message, hint: `Write a plain name, not an expression or a path. ${rule}.` };
    },
  ),
  'wrong-constant': error(
    { written: 'text', why: 'sentence', instead: 'text' },
    (p: { written: string; why: string; instead: string; isExample: boolean; call: Span | undefined }) => ({
      message: `${shown(p.written)} ${p.why}.`,
      hint: p.isExample
        ? exampleHint(p.instead, p.written)
        : p.instead === p.written
          ? `Write ${clip(p.instead)} alone, without ${/[A-Z]+$/.exec(p.call?.source.text.slice(p.call.start, p.call.end).split('(')[0] ?? '')?.[0] ?? 'the function'}.`
          : `Write ${clip(p.instead)}.`,
      instead: p.isExample ? undefined : p.instead,
      insteadOf: p.call,
    }),
  ),
  'list-count': error({ written: 'text' }, (p: { written: string; maximum: number }) => ({
    message: `${shown(p.written)} is not a valid number of elements.`,
    hint: `Write an integer from 0 to ${p.maximum}, or an expression that returns one, such as LIST(PARAM(pages)).`,
  })),
  'random-argument': error(
    { written: 'text', argument: words('bytes', 'form'), syntax: words('A', 'B') },
    (p: { written: string; argument: 'bytes' | 'form'; syntax: SyntaxName; min: number; max: number }) => {
      const example = p.syntax === 'A' ? 'RANDOM(32)' : 'random(32)';
      return p.argument === 'bytes'
        ? {
            message: `${shown(p.written)} is not a valid number of random bytes.`,
            hint: `Write an integer from ${p.min} to ${p.max}, such as ${example}.`,
          }
        : {
            message: `${shown(p.written)} is not a form of random bytes.`,
            hint: `Write ${example} for base64url, or ${p.syntax === 'A' ? 'RANDOM(32, hex)' : "random(32, 'hex')"}.`,
          };
    },
  ),
  'link-relation': error(
    { written: 'text', nearest: 'suggestion' },
    (p: { written: string; nearest: string | undefined }) => ({
      message: `${shown(p.written)} is not a relation of pages.`,
      ...meantOr(
        p.nearest,
        'Write self, first, prev, next or last; without it, LINK is a whole Link header.',
      ),
    }),
  ),
  'lifetime-argument': error(() => ({
    message: 'The lifetime of a token is a constant string, the name of one of several.',
    hint: "Write it as TEXT(long) in Syntax A, and as 'long' in Syntax B.",
  })),
  'path-without-root': error(
    { written: 'text', instead: 'text' },
    (p: { written: string; instead: string }) => ({
      message: `The path ${shown(p.written)} must begin with $.`,
      hint: `Write ${clip(p.instead)}.`,
      instead: p.instead.includes(' ') ? undefined : p.instead,
    }),
  ),
  'path-fault': error({ written: 'text', instead: 'text' }, (p: { written: string; instead: string }) => ({
    message: `Unexpected ${shown(p.written)} in a path.`,
    hint: `Write ${clip(p.instead, 160)}.`,
    // Extracts `$.name` from text with an explanation.
    instead: /^(\$[\w.[\]*-]+)(?: without quotes)?$/.exec(p.instead)?.[1],
  })),
  'path-without-source': error({ written: 'text' }, (p: { written: string }) => {
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
  'path-in-syntax-b': error({ written: 'text', steps: 'text' }, (p: { written: string; steps: string }) => {
    const message = `Path ${shown(p.written)} in Syntax B, which has no $.`;
    const [, owner, path] = foreignPath.exec(p.written) ?? [];
    if (owner !== undefined && path !== undefined)
      return { message, hint: `Write ${clip(`${owner}.${path}`)}.`, instead: `${owner}.${path}` };
    return {
      message,
      hint: `Write body${clip(p.steps)}, <fulfillment>${clip(p.steps)}, or @${clip(p.steps)} for the current element.`,
    };
  }),
  'parameter-name': error(
    { written: 'text', place: words('header', 'query', 'cookie', 'param') },
    (p: { written: string; place: 'param' | Place }) => {
      const what = p.place === 'param' ? 'parameter' : p.place === 'query' ? 'query parameter' : p.place;
      const hint = `Write ${p.place}.<name>, or ${p.place}['any name'].`;
      const isPath = /^\w+(?:\.[^.[\]]|\[['"])/.test(p.written);
      return {
        message: `${isPath ? `A ${what} has a name and no path` : `Missing ${what} name`} in ${shown(p.written)}.`,
        hint,
      };
    },
  ),
  'unknown-method': error({ written: 'text', owner: 'text' }, (p: { written: string; owner: string }) => {
    const message = `Unknown function ${shown(p.written)}: Syntax B has only .size().`;
    const [, name = '', args = ''] = /^\.([\p{L}_]+)\((.*?)\)?$/su.exec(p.written) ?? [];
    if (/^size$/i.test(name))
      return { message: `.size() takes no arguments.`, hint: 'Write .size().', instead: '.size()' };
    if (/^(?:len|length|count|getsize)$/i.test(name))
      return { message, hint: 'Write .size() for the number of elements.', instead: '.size()' };
    if (/^is_?(?:null|empty|blank|missing)$/i.test(name))
      return { message, hint: "Write ' == null' instead.", instead: ' == null' };
    if (/^equals(?:ignorecase)?$/i.test(name) && args !== '')
      return {
        message,
        hint: `Write == ${clip(args)}.`,
        instead: /^equals$/i.test(name) ? ` == ${args}` : undefined,
      };
    if (/^(?:to_?lower(?:_?case)?|lower|downcase)$/i.test(name))
      return { message, hint: `Write lower(${clip(p.owner)}).` };
    return {
      message,
      hint: insteadOfMethod(name, args),
    };
  }),
  'no-functions-in-syntax-b': error(
    { name: 'text', args: 'text' },
    (p: { name: string; args: string; call: Span | undefined }) => {
      const known = functionsOfB;
      const message = `Unknown function ${shown(p.name)} in Syntax B, which has ${functionsOfB.join(', ')} and .size().`;
      const name = /^['"]?([\p{L}_][\p{L}\p{N}_-]*)['"]?$/u.exec(p.args)?.[1];
      const isReference = /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(p.args);
      const instead =
        /^(?:size|count|length|len)$/i.test(p.name) && isReference
          ? `${p.args}.size()`
          : /^params?$/i.test(p.name) && name !== undefined
            ? `param.${name}`
            : /^is_?(?:null|empty)$|^empty$/i.test(p.name) && isReference
              ? `${p.args} == null`
              : undefined;
      if (instead !== undefined)
        return {
          message,
          hint: `Write ${clip(instead)}.`,
          // A call without a known end cannot be replaced.
          instead: p.call && instead,
          insteadOf: p.call,
        };
      const synonym = synonyms.get(p.name.toUpperCase())?.toLowerCase() ?? '';
      const meant = known.includes(synonym) ? synonym : nearest(p.name, known);
      if (meant !== undefined)
        return {
          message,
          hint: `Did you mean '${meant}'?`,
          instead: meant,
          subject: p.name,
          isSuggestion: true,
        };
      const sql = sqlFunctions.test(p.name.toUpperCase().replaceAll('_', ''));
      return {
        message,
        hint: sql
          ? `Call it in the SQL, for example SELECT ${p.name.toLowerCase()}(${inSql(p.args)}) AS result, and read the column here.`
          : "Write a reference, such as param.id, body.title or news.title, or a string in quotes: 'text'.",
      };
    },
  ),
  'lower-case-word': error(
    { written: 'text', instead: 'text' },
    (p: { written: string; instead: string }) => ({
      message: `Unknown word '${p.written}'.`,
      hint: `Write ${p.instead} in lower case.`,
      instead: p.instead,
    }),
  ),
  'wrong-operator': error(
    { written: 'text', operator: 'text', whole: { written: 'text' } },
    (p: {
      written: string;
      operator: string;
      /** The replacement and the replaced span, if larger than the operator. */
      whole?: { readonly written: string; readonly span: Span } | undefined;
    }) => ({
      message: `Unknown operator '${p.written}'.`,
      hint:
        p.whole !== undefined
          ? `Write ${clip(p.whole.written)}`
          : p.operator === '.'
            ? `Write a dot${p.written.includes('?') ? ': a field of null is null' : ''}.`
            : `Write ${p.operator}`,
      instead: p.whole?.written ?? p.operator,
      insteadOf: p.whole?.span,
    }),
  ),
  'missing-operand': error({ written: 'text' }, (p: { written: string }) => ({
    message: `Missing operand at '${p.written}'.`,
    hint: 'Write the value to compare or test.',
  })),
  'chained-comparison': error(
    { first: 'text', second: 'text' },
    (p: {
      first: string;
      second: string;
      /** Set if the first comparison is compared with true or false: the expected value. */
      holds: boolean | undefined;
    }) => ({
      message: 'Comparisons cannot be chained.',
      hint:
        p.holds === undefined
          ? `Write ${clip(p.first)} && ${clip(p.second)}.`
          : `Write ${p.holds ? clip(p.first) : `!(${clip(p.first)})`}.`,
    }),
  ),
  'stray-text': error(
    { written: 'text', instead: 'text', before: 'text', after: 'text' },
    (p: ExtraText) => ({
      message: `Unexpected ${shown(p.written)} after the end of the expression.`,
      ...(p.instead !== undefined && { instead: p.instead, insteadOf: p.call }),
      hint:
        p.instead !== undefined
          ? `Write ${clip(p.instead)}.`
          : p.written === ')'
            ? 'Remove it, or quote a string that contains a single parenthesis: TEXT("a ) b").'
            : p.written === "'" || p.written === '"'
              ? `A quote inside a quoted string needs a backslash: \\${p.written}`
              : ((p.isLast === true && /^[,;]$/.test(p.written) ? 'Remove it.' : undefined) ??
                (p.inPlaceholder ? calculationInSql(p) : undefined) ??
                calculationHint(p) ??
                comparisonHint(p.written) ??
                (p.inPlaceholder
                  ? "A placeholder has one expression. End it with ']'."
                  : 'Join conditions with && or ||.')),
    }),
  ),
  'bare-text': error(
    {
      ...{ written: 'text', syntax: words('A', 'B'), yaml: 'text', result: 'text', inside: 'text' },
      bareWord: words('query', 'column', 'file', 'secret'),
    },
    (p: BareText) => {
      const text = clip(p.written);
      const result = p.result === undefined ? undefined : clip(p.result);
      if (p.isCounted === true)
        return {
          message: `'${text}' is not an expression.`,
          hint:
            result === undefined
              ? 'Write VALUE(<fulfillment>, $) for the result of a fulfillment.'
              : `Write VALUE(${result}, $) for the result of fulfillment '${result}'.`,
          instead: p.result === undefined ? undefined : `VALUE(${p.result}, $)`,
          isSuggestion: p.result !== p.written,
        };
      if (p.inside !== undefined)
        return {
          message: `'${text}' is in braces, which expressions do not have.`,
          hint: `Write ${clip(p.inside)} without them.`,
          instead: p.inside,
        };
      if (p.written.includes(':['))
        return {
          message: `An expression cannot contain placeholders: '${text}'.`,
          hint: `Build the string in the SQL, for example SELECT concat('No. ', id) AS label, and read ${p.syntax === 'A' ? 'VALUE(<fulfillment>, $.label)' : '<fulfillment>.label'} here.`,
        };
      const meant = meantReading(p.written, p.syntax);
      if (meant !== undefined) return { message: `'${text}' is not an expression.`, ...meant };
      if (p.bareWord === 'query')
        return {
          message: `'${text}' is not an expression.`,
          hint: `Write QUERY(${text}) to read it from the query of a request.`,
          instead: `QUERY(${p.written})`,
          isSuggestion: true,
        };
      if (p.bareWord === 'column')
        return {
          message: `'${text}' is not an expression.`,
          hint: `Write VALUE(<fulfillment>, $.${text}) for a column of a result.`,
        };
      if (p.bareWord === 'secret')
        return {
          message: `'${text}' is not an expression.`,
          hint: 'Write ENV(NAME) for the variable NAME of the environment.',
        };
      const value =
        result === undefined ? '' : `, or VALUE(${result}, $) for the result of fulfillment '${result}'`;
      return {
        message: `'${text}' is not an expression.`,
        hint:
          p.syntax === 'A'
            ? `Write TEXT(${text}) for a string${value}.`
            : `Write ${clip(p.yaml)} for a string.`,
        ...(p.syntax === 'B'
          ? { yamlInstead: p.yaml }
          : value === ''
            ? { instead: `TEXT(${p.written})` }
            : {}),
        isSuggestion: true,
      };
    },
  ),
  'wrong-syntax': error(
    { written: 'text', found: words('A', 'B'), instead: 'text' },
    (p: { written: string; found: SyntaxName; instead: string | undefined }) => {
      const syntax = p.found === 'A' ? 'B' : 'A';
      const isQuotedCall = p.found === 'B' && p.instead !== undefined && p.written.slice(1, -1) === p.instead;
      return {
        message: isQuotedCall
          ? `${shown(p.written)} is in quotes, which Syntax A does not have.`
          : `${shown(p.written)} is Syntax ${p.found}, but this operation uses Syntax ${syntax}.`,
        hint: isQuotedCall
          ? `Write ${clip(p.instead ?? '')} without quotes.`
          : p.instead === undefined
            ? p.written === 'LIST' || p.written.startsWith('LIST(')
              ? 'Write the operation in Syntax A, which has LIST, or read the list from a fulfillment.'
              : `Write param.<name>, body.<field> or <fulfillment>.<field>. ${whyThisSyntax[syntax]}`
            : `Write ${clip(p.instead)}. ${whyThisSyntax[syntax]}`,
        instead: p.instead,
        isOfOperation: true,
        ifShared: 'Write it once for each syntax.',
      };
    },
  ),
  'expression-too-deep': error({}, (p: { maximum: number }) => ({
    message: `More than ${p.maximum} levels of nesting.`,
    hint: 'Remove unneeded parentheses, or split the condition over several fulfillments.',
  })),
  'expression-too-long': error({}, (p: { maximum: number }) => ({
    message: `More than ${p.maximum} operators in one expression.`,
    hint: 'Compare in the SQL or in a LOOP.',
  })),
};

/** The second argument of `PARAM(limit, 20)` in SQL; an example if it is neither a number nor quoted. */
function defaultOf(call: string): string {
  return /,\s*(-?\d+(?:\.\d+)?|'[^']*')\s*\)$/.exec(call)?.[1] ?? '20';
}

/** The suggestion for a method call, as in other languages. */
function insteadOfMethod(name: string, args: string): string {
  const call = Object.entries({
    'upper(title)': /^to_?upper(?:_?case)?$|^upper$/i,
    'trim(title)': /^(?:trim|strip)$/i,
  }).find(([, pattern]) => pattern.test(name))?.[0];
  if (call !== undefined)
    return `Call it in the SQL, for example SELECT ${call} AS result, and read that column here.`;
  return /^(?:starts|ends)_?with$|^(?:contains|includes|matches|like)$/i.test(name) && args !== ''
    ? "Test it in the SQL, for example SELECT title LIKE 'A%' AS matches, and read that column here."
    : 'Do it in the SQL, for example SELECT length(title) AS result, and read that column here.';
}

const sqlFunctions =
  /^(?:UPPER|LOWER|TRIM|SUBSTR|SUBSTRING|REPLACE|ROUND|ABS|SUM|AVG|MIN|MAX|DATE|RANDOM|FORMAT|IF|IIF|CASE|SPLIT)$/;

/** Arguments in SQL notation, if they are columns and constants. */
function inSql(args: string): string {
  const written = args
    .replaceAll(/VALUE\([^,()]{1,80},\s*\$\.(\w{1,60})\)|\b[a-z]\w{0,60}\.(\w{1,60})/g, '$1$2')
    .replaceAll(/TEXT\(([^()']{0,80})\)/g, "'$1'")
    .replaceAll(/(?:INTEGER|DECIMAL)\(([\d.-]{1,20})\)/g, '$1');
  return /^[\w\s',.-]*$/.test(written) ? written : '…';
}

/** The suggestion for another language's function; `args` are its arguments. */
function insteadOfFunction(
  written: string,
  args: string,
): { readonly hint: string; readonly instead?: string } | undefined {
  const name = written.toUpperCase().replaceAll('_', '');
  if (sqlFunctions.test(name))
    return {
      hint: `Call it in the SQL, for example SELECT ${written.toLowerCase()}(${inSql(args)}) AS result, and read the column here.`,
    };
  const isList = /^(?:VALUE|BODY)\(/.test(args);
  const instead =
    args === ''
      ? /^(?:TRUE|FALSE)$/.test(name)
        ? `BOOLEAN(${name.toLowerCase()})`
        : undefined
      : /^(?:ISNULL|ISMISSING)$/.test(name) || (/^(?:IS)?(?:EMPTY|BLANK)$/.test(name) && !isList)
        ? `${args} == NULL()`
        : /^(?:IS)?EMPTY$/.test(name)
          ? `SIZE(${args}) == INTEGER(0)`
          : /^(?:EXISTS|DEFINED|ISSET|NOTNULL|ISNOTNULL|HASVALUE|NOTEMPTY)$/.test(name)
            ? `${args} != NULL()`
            : undefined;
  return instead === undefined ? undefined : { hint: `Write ${clip(instead)}.`, instead };
}

interface ExtraText {
  readonly written: string;
  readonly inPlaceholder: boolean;
  readonly instead?: string;
  readonly call?: Span;
  /** The text before the operator, at most 80 characters. */
  readonly before?: string;
  /** The number or Syntax B string that follows. */
  readonly after?: string | undefined;
  /** True if nothing follows. */
  readonly isLast?: boolean;
}

/** Matches the column that was read last, in either syntax. */
const columnRead = /(?:\w\.|\$\.)(\w{1,60})\)?$/;

/** The suggestion for a calculation in an expression; undefined if it is not a calculation. */
function calculationHint({ written, before = '', after }: ExtraText): string | undefined {
  const column = columnRead.exec(before)?.[1];
  if (written === '->')
    return "Remove '->' and the text after it: the key before the colon is the name in the response.";
  if (/^(?:[+*/%]|-.*)$/.test(written))
    return `Expressions do not calculate or join strings. Do it in the SQL, for example SELECT ${
      column === undefined || after === undefined
        ? 'price * 2'
        : written === '+' && after.startsWith("'")
          ? `concat(${column}, ${after})`
          : `${column} ${written} ${after}`
    } AS result, and read the column here.`;
  if (written === '??')
    return `Expressions do not support '??'. Use the SQL, for example SELECT coalesce(${column ?? 'title'}, ${after ?? "'none'"}) AS result, and read the column here.`;
  return written === '?'
    ? "Expressions have no '? :'. Give each of the two cases a response with its own 'if', or write CASE WHEN … THEN … ELSE … END in the SQL."
    : undefined;
}

/** The suggestion for a calculation inside a placeholder, usually in SQL: let the database calculate. */
function calculationInSql({ written, before = '', after }: ExtraText): string | undefined {
  if (/^[+*/%-]$/.test(written))
    return `Expressions do not calculate or join strings. In the SQL write :[${clip(before)}] ${written} ${after ?? 'and the rest'}.`;
  if (written === '??')
    return `Expressions have no '??'. In the SQL write coalesce(:[${clip(before)}], ${after ?? "'none'"}).`;
  return written === '?'
    ? "Expressions have no '? :'. In SQL write CASE WHEN … THEN … ELSE … END."
    : undefined;
}

/** The Syntax A expression for a field that other languages write as `owner.path`. */
function readingInA(owner: string, path: string): string {
  if (/^params?$/i.test(owner)) return `PARAM(${path})`;
  return owner === 'body' ? `BODY($.${path})` : `VALUE(${owner}, $.${path})`;
}

/** The suggestion for an unsupported comparison. */
function comparisonHint(written: string): string | undefined {
  const word = written.toLowerCase().replace(/^\./, '');
  if (word === 'in') return 'Compare with each value, and join the comparisons with ||.';
  if (written === '[')
    return 'Expressions have no lists. To test that a result has no rows, compare its size with 0.';
  if (/^(?:isnull|isempty|isblank|empty)$/.test(word))
    return 'Compare with null, or compare the size with 0.';
  if (/^(?:equals|is)$/.test(word)) return 'Write == between the two values.';
  if (word === 'between') return 'Write two comparisons with >= and <=, joined with &&.';
  return /^(?:i?like|rlike|regexp|matches|contains|includes|(?:starts|ends)_?with|tolowercase|touppercase|lower|upper|trim|substring|=~|!~)$/.test(
    word,
  )
    ? "Do it in the SQL, for example SELECT title LIKE 'A%' AS matches, and read the column here."
    : undefined;
}

/** The suggestion for notations of other languages, such as `BODY.title`, `COOKIE.session`, `TRUE` and `news?.title`. */
function meantReading(
  written: string,
  syntax: SyntaxName,
): { readonly hint: string; readonly instead?: string } | undefined {
  const [, source, name = ''] =
    /^(BODY|PARAM|HEADER|QUERY|COOKIE|CALLER|ENV)\.([\p{L}\p{N}_.-]+)$/u.exec(written) ?? [];
  if (syntax === 'A' && source !== undefined) {
    const hasPath = source === 'BODY' || source === 'CALLER';
    const instead = `${source}(${hasPath ? '$.' : ''}${name})`;
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
    return { hint: `Write ${clip(written.replaceAll('?.', '.'))}: a missing value is null.` };
  return undefined;
}
