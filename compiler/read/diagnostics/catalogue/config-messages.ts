/** Diagnostics about resources and their fields, in the specification's terms. The file is long because there are many. */
import { position, type Span } from '../../source.js';
import type { Edit } from '../fix.js';
import { listed, quotedList } from '../quoted-list.js';
import { isUnambiguous, nearest } from '../suggest.js';
import { didYouMean, error, meantOr, warning } from './entry-messages.js';
import { words } from '../marks.js';

/** Where to configure settings that are not fields of the configuration. */
const onlyInSyntaxA =
  "Only Syntax A sends requests to third-party APIs. Write the whole operation in it: 'instructions' and 'schema', without 'mappings', 'queries' and 'join'.";

function insteadOfField(resource: string, field: string): string | undefined {
  if (resource === 'The configuration' && field === 'port')
    return 'The port is set when the service starts, with the variable PORT of the environment or --port. Remove this line.';
  if (resource === 'An instruction' && field === 'parameters')
    return "Write 'query' and 'parameters' below the key 'sql'.";
  if (!resource.startsWith('Operation ')) return undefined;
  if (field === 'cron') return "Write it in a trigger: triggers: [{ name: daily, cron: '0 0 3 * * *' }]";
  return /^(?:parameters|requestBody)$/.test(field)
    ? 'Declare it in the API description, openapi.yaml. Expressions read it without a declaration here.'
    : undefined;
}

/** The name in lower case, without spaces, slashes, colons and quotes. */
function letters(name: string): string {
  return name.toLowerCase().replaceAll(/[\s:/'"]/g, '');
}

interface WrongUrl {
  readonly problem: string;
  readonly hint: string | undefined;
  /** The correct beginning of the URL, and the span of the wrong beginning. */
  readonly near?: string | undefined;
  readonly scheme?: Span;
}

interface WrongKind {
  readonly what: string;
  readonly expected: string;
  readonly example: string;
  /** The intended value in YAML. */
  readonly meant?: 'true' | 'false' | undefined;
  /** The value in the expected form. */
  readonly rewriting?:
    { readonly hint: string; readonly edits: readonly Edit[]; readonly isSafe: boolean } | undefined;
}

interface WrongPath {
  readonly path: string;
  readonly problem: string;
  /** The intended name; undefined if uncertain. */
  readonly instead: string | undefined;
  /** The probably intended name. */
  readonly hint: string | undefined;
  /** The span of the whole name. */
  readonly whole: Span;
}

/** The content of a file that is not a configuration. */
export type ForeignFile = 'nothing' | 'list' | 'string' | 'description';

const whatIsFound: Readonly<Record<ForeignFile, string>> = {
  nothing: 'it is empty',
  list: 'it is a list',
  string: 'it has no fields',
  description: 'it is an API description',
};

export const configEntries = {
  'not-a-configuration': error(
    { found: words('string', 'nothing', 'list', 'description') },
    (p: { found: ForeignFile }) => ({
      message: `This file is not a configuration: ${whatIsFound[p.found]}.`,
      hint:
        p.found === 'description'
          ? 'Pass the path of the configuration. The API description next to it is found automatically; --openapi chooses another one.'
          : 'Write the fields specification, operations and datasources. The first line is: specification: "1.0"',
    }),
  ),
  'returns-reference': error({ reference: 'reference' }, (p: { reference: string }) => {
    const model = /^#\/components\/schemas\/([^/]+)$/.exec(p.reference)?.[1];
    return {
      message: `A schema in the configuration cannot refer to '${p.reference}'.`,
      hint:
        model === undefined
          ? 'Write the schema itself, or name a model of the API description: returns: Price'
          : `Name the model, 'returns: ${model}', or a list of them, 'returns: ${model}[]'.`,
    };
  }),
  'missing-specification': error(() => ({
    message: "Missing field 'specification'.",
    hint: 'Write this as the first line: specification: "1.0"',
  })),
  'specification-first': error(() => ({
    message: "'specification' must be the first field of the file.",
    hint: 'Move the line to the top.',
  })),
  'wrong-specification': error({ written: 'text' }, (p: { written: string }) => ({
    message: `Unknown specification version '${p.written}'.`,
    hint: 'Write: specification: "1.0"',
    yamlInstead: '"1.0"',
  })),
  'unquoted-specification': warning(() => ({
    message: 'The version is a string, but YAML reads a number without quotes.',
    hint: 'Write: specification: "1.0"',
    yamlInstead: '"1.0"',
  })),
  'unknown-field': error(
    {
      resource: 'sentence',
      field: 'text',
      nearest: 'suggestion',
      twin: 'text',
      owners: 'word',
      known: 'word',
      place: { word: 'word', name: 'text' },
      many: 'word',
    },
    (p: {
      resource: string;
      field: string;
      nearest: string | undefined;
      /** The intended field, if it already exists. */
      present?: Span | undefined;
      twin?: string | undefined;
      /** The resources that have this field. */
      owners: readonly string[];
      known: readonly string[];
      /** The location of an API key in the form of API descriptions. */
      place?: { readonly word: string; readonly name: string };
      /** An example for an intended field that holds several values. */
      many?: string;
      /** True for a timer in the syntax of another tool. */
      isTimer?: boolean;
      /** The edits that move the field to its place, if known. */
      edits?: readonly Edit[];
    }) => ({
      message: `${p.resource} has no field '${p.field}'.`,
      hint:
        (p.nearest === undefined || p.many === undefined
          ? undefined
          : `Did you mean '${p.nearest}', which has several? For example: ${p.many}`) ??
        didYouMean(p.nearest) ??
        (p.isTimer === true
          ? "Write the timer as an item of 'triggers': - name: nightly, and below it cron: '0 0 3 * * *', six fields that begin with the seconds"
          : undefined) ??
        (p.twin === undefined || p.present === undefined
          ? undefined
          : `'${p.twin}' is already in line ${position(p.present.source, p.present.start).line}. Keep one of the two, named '${p.twin}'.`) ??
        (p.place === undefined ? undefined : `Write ${p.place.word}: ${p.place.name}.`) ??
        insteadOfField(p.resource, p.field) ??
        (p.resource === "'request'" && /^(?:query|params|parameters|queryparams|search)$/i.test(p.field)
          ? 'Parameters of the query are part of the url: https://api.example.com/search?q=:[PARAM(q)]'
          : undefined) ??
        (p.resource.startsWith('Datasource ') &&
        /^(?:host(?:name)?|server|port|database|dbname|schema)$/i.test(p.field)
          ? "It is part of the field 'url', for example jdbc:postgresql://localhost:5432/news"
          : undefined) ??
        (p.resource.startsWith('Operation ') &&
        /^(?:summary|description|tags|operationId|deprecated)$/i.test(p.field)
          ? 'Write it in the API description, openapi.yaml, or as a comment: # …'
          : undefined) ??
        (p.resource === 'A query' && p.field === 'request' ? onlyInSyntaxA : undefined) ??
        (p.resource.startsWith('Fulfillment ') && /^(?:query|sql|request)$/.test(p.field)
          ? `Write it as an item of '${p.known.includes('instructions') ? 'instructions' : 'queries'}': - ${p.field}: …`
          : undefined) ??
        (/response/i.test(p.resource) && /^\d{3}$/.test(p.field)
          ? `Write the fields of the response as one item: name: ok, statuscode: ${p.field} and default: true.`
          : undefined) ??
        `${p.owners.length === 0 ? '' : `Move it: '${p.field}' is a field of ${p.owners.join(' or of ')}. `}The fields here are ${quotedList(p.known)}.`,
      // The value does not suit the intended field.
      instead: p.many === undefined ? p.nearest : undefined,
      edits: p.edits,
      // A synonym from another language is as certain as a misspelling.
      isSuggestion: !isUnambiguous(p.field, p.known) && nearest(p.field, p.known) !== undefined,
      subject: `${p.resource} ${p.field}`,
    }),
  ),
  'field-of-other-type': error(
    { resource: 'sentence', field: 'text', type: 'word', fields: 'word', known: 'word' },
    (p: {
      resource: string;
      field: string;
      type: string;
      fields: readonly string[];
      known: readonly string[];
    }) => ({
      message: `${p.resource} is of type ${p.type}, which has no field '${p.field}'.`,
      hint: `Remove it.${p.known.length === 0 ? '' : ` To use '${p.field}', write type: ${p.known.join(' or ')}.`} The fields here are ${quotedList(p.fields)}.`,
    }),
  ),
  'missing-field': error(
    { resource: 'sentence', fields: 'word', example: 'word' },
    (p: { resource: string; fields: readonly string[]; example: string; edits: readonly Edit[] }) => ({
      message: `${p.resource} needs the ${p.fields.length === 1 ? 'field' : 'fields'} ${quotedList(p.fields).replace(/, ([^,]*)$/, ' and $1')}.`,
      hint: `Add, for example, ${p.example}.`,
      ...(p.edits.length > 0 && { edits: p.edits }),
    }),
  ),
  'message-without-body': error({}, (p: { status: number }) => ({
    message: `A response with status ${p.status} never has a body, so this message is not sent.`,
    hint: `Use a status from 400, such as 404; or write a response with an 'if' and statuscode: ${p.status} instead of this exception.`,
  })),
  'empty-field': error(
    { resource: 'sentence', field: 'word', example: 'word' },
    (p: { resource: string; field: string; isRequired: boolean; example: string | undefined }) => ({
      message: `The field '${p.field}' of ${p.resource.charAt(0).toLowerCase()}${p.resource.slice(1)} is empty.`,
      hint: `Write a value${p.example === undefined ? '' : `, for example ${p.example}`}${p.isRequired ? '' : '; or remove the line'}.`,
    }),
  ),
  'empty-leaf': error(
    { name: 'text', syntax: words('A', 'B') },
    (p: { name: string; isExpression: boolean; syntax: 'A' | 'B' }) => ({
      message: p.isExpression
        ? `YAML reads this as a map with the key '${p.name}'.`
        : `The field '${p.name}' has no value.`,
      hint: p.isExpression
        ? `Write ${p.name} without braces.`
        : `Write an expression, such as ${p.syntax === 'A' ? 'VALUE(news, $.title)' : 'news.title'}; or null.`,
    }),
  ),
  'empty-name': error({ resource: 'sentence' }, (p: { resource: string }) => ({
    message: `${p.resource.replace(/ .*$/, '')} without a name.`,
    hint: `Write its name before the colon${p.resource.startsWith('Operation') ? ", such as 'GET /news'" : ''}.`,
  })),
  'limit-by': error(
    { written: 'text', readable: 'word' },
    (p: { written: string; readable: readonly string[] }) => ({
      message: `A limit cannot count by ${p.written}.`,
      hint: `It can count by ${listed(p.readable, 'or')}.`,
    }),
  ),
  'idempotency-key': error(
    { written: 'text', readable: 'word' },
    (p: { written: string; readable: readonly string[] }) => ({
      message: `An idempotency key cannot be read from ${p.written}.`,
      hint: `It can be read from ${listed(p.readable, 'or')}.`,
    }),
  ),
  'wrong-kind': error(
    {
      what: 'sentence',
      expected: 'sentence',
      example: 'word',
      meant: words('true', 'false'),
      rewriting: { hint: 'rewriting' },
    },
    (p: WrongKind) => ({
      message: `${p.what} must be ${p.expected}.`,
      hint: p.rewriting?.hint ?? (p.meant === undefined ? `For example: ${p.example}` : `Write ${p.meant}.`),
      yamlInstead: p.meant,
      ...(p.rewriting !== undefined &&
        p.rewriting.edits.length > 0 && { edits: p.rewriting.edits, isSuggestion: !p.rewriting.isSafe }),
    }),
  ),
  'unknown-word': error(
    { field: 'word', written: 'text', words: 'word', nearest: 'suggestion' },
    (p: { field: string; written: string; words: readonly string[]; nearest: string | undefined }) => ({
      message: `Unknown value '${p.written}' of '${p.field}'.`,
      hint:
        didYouMean(p.nearest) ??
        (p.words.length === 1
          ? `Write ${p.words.join('')}, the only value.`
          : `Write one of ${p.words.join(', ')}.`),
      instead: p.nearest ?? (p.words.length === 1 ? p.words[0] : undefined),
      // A synonym from another language is as certain as a misspelling.
      isSuggestion:
        p.nearest === undefined ||
        (!isUnambiguous(p.written, p.words) && nearest(p.written, p.words) !== undefined),
      subject: `${p.field} ${p.written}`,
    }),
  ),
  'deprecated-field': warning(
    { field: 'word', reason: 'sentence' },
    (p: { field: string; reason: string; edits: readonly Edit[] }) => ({
      message: `'${p.field}' has no effect: ${p.reason}.`,
      hint: 'Remove it.',
      edits: p.edits,
    }),
  ),
  'pool-range': error({}, (p: { min: number; max: number }) => ({
    message: `The pool's min (${p.min}) is larger than its max (${p.max}).`,
    hint: `Write a min from 0 to ${p.max}, or a max of at least ${p.min}.`,
  })),
  'long-timeout': warning({}, (p: { seconds: number }) => ({
    message: `A timeout of ${p.seconds} seconds is ${Math.round(p.seconds / 60)} minutes: a request may wait that long.`,
    hint: `Write seconds${p.seconds % 1000 === 0 ? `: ${p.seconds / 1000} for ${p.seconds} milliseconds` : ', such as 30'}.`,
    ...(p.seconds % 1000 === 0 && { yamlInstead: String(p.seconds / 1000), isSuggestion: true }),
  })),
  'long-wait': warning(
    { field: words('wait', 'maxWait') },
    (p: { field: 'wait' | 'maxWait'; seconds: number }) => ({
      message: `A pause of ${p.seconds} seconds between two attempts: a request may wait that long.`,
      hint: `'${p.field}' is in seconds: write ${p.seconds / 1000} for ${p.seconds} milliseconds.`,
      yamlInstead: String(p.seconds / 1000),
      isSuggestion: true,
    }),
  ),
  'wrong-header': error({ meant: 'suggestion' }, (p: { meant: string | undefined }) => ({
    message: "An item of 'header' must be a string 'Key: Value'.",
    hint:
      p.meant === undefined
        ? "Write the name, a colon, a space and the value in quotes: - 'Accept: application/json'"
        : `Write '${p.meant}'.`,
    yamlInstead: p.meant === undefined ? undefined : `'${p.meant}'`,
  })),
  'schema-list': error({ hint: 'sentence' }, (p: { hint: string }) => ({
    message: 'A schema cannot contain a YAML list.',
    hint: p.hint,
  })),
  'number-too-large': error({ written: 'text' }, (p: { written: string }) => ({
    message: `${p.written} has more digits than a JSON number can carry.`,
    hint: `Write it as a string: TEXT(${p.written})`,
    instead: `TEXT(${p.written})`,
  })),
  'mixed-syntax': error(
    { field: 'text', other: 'text', meant: 'suggestion' },
    (p: {
      field: string;
      other: string;
      first: Span;
      /** True if either syntax may be intended; Syntax B if only the names of the lists indicate the syntax. */
      isOpen: boolean;
      /** True if a fulfillment in the wrong syntax sends a request, which is only possible in Syntax A. */
      hasRequest: boolean;
      meant?: string;
      edits?: readonly Edit[];
    }) => ({
      message: `One operation mixes the two syntaxes: '${p.field}' here and '${p.other}' in line ${position(p.first.source, p.first.start).line}.`,
      hint: p.hasRequest
        ? onlyInSyntaxA
        : p.meant === undefined
          ? `Syntax A has 'instructions'; Syntax B has 'queries', 'join' and 'mappings'. Write ${p.field === 'instructions' ? "its statements below 'queries'" : p.field === 'queries' ? "its statements below 'instructions'" : `the operation without '${p.field}', or with 'queries' instead of 'instructions'`}.`
          : p.isOpen
            ? `Write '${p.meant}' in both for Syntax B, or '${p.field}' in both for Syntax A.`
            : `Write '${p.meant}' instead of '${p.field}'.`,
      edits: p.edits,
      isSuggestion: true,
      related: [{ span: p.first, message: `'${p.other}' is here` }],
    }),
  ),
  'type-of-syntax-a': error({ written: 'text' }, (p: { written: string }) => ({
    message: `Type ${p.written} is not allowed in Syntax B.`,
    hint: "Write the operation in Syntax A ('instructions' and 'schema', without 'mappings', 'queries' and 'join'), or move this fulfillment to another operation.",
  })),

  'near-endpoint': error(
    { name: 'text', meant: 'suggestion', below: 'text' },
    (p: { name: string; meant: string | undefined; below?: readonly string[] }) => ({
      message: `'${p.name}' looks like an endpoint, but is not '<method> <path>'.`,
      hint:
        p.below !== undefined
          ? `Write one operation for each method: ${quotedList(p.below)}.`
          : p.meant === undefined
            ? "Write one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, one space, and a path that begins with '/'."
            : `Did you mean '${p.meant}'?`,
      instead: p.meant,
      // Differences in spaces and slashes are unambiguous.
      isSuggestion: p.meant === undefined || letters(p.name) !== letters(p.meant),
    }),
  ),
  'wrong-path': error(
    { path: 'text', problem: 'sentence', instead: 'text', hint: 'sentence' },
    (p: WrongPath) => ({
      message: `The path '${p.path}' cannot be served: ${p.problem}.`,
      hint: p.problem.startsWith('duplicate ')
        ? `Give each parameter its own name: write ${p.hint ?? 'a path such as /news/{newsId}/comments/{id}'}`
        : `Write ${p.instead ?? p.hint ?? 'a path such as /news/{id}'}`,
      instead: p.instead,
      insteadOf: p.whole,
    }),
  ),

  'condition-and-constraint': error(() => ({
    message: "This exception has both 'if' and 'constraint'.",
    hint: 'Remove one of them, or write two exceptions.',
  })),
  'missing-action': error(
    { resource: 'sentence', fields: 'word' },
    (p: { resource: string; fields: string }) => ({
      message: `${p.resource} needs ${p.fields}.`,
      hint: "Write, for example, 'query: SELECT id, title FROM news'.",
    }),
  ),
  'several-actions': error(
    { first: 'text', second: 'text' },
    (p: { first: string; second: string; firstSpan: Span | undefined }) => ({
      message: `This instruction has both '${p.first}' and '${p.second}'.`,
      hint: `Remove one of them, or write two instructions, the first with an 'if'.`,
      related: p.firstSpan && [{ span: p.firstSpan, message: `'${p.first}' is here` }],
    }),
  ),
  'wrong-action': error(
    { field: 'text', datasource: 'text', type: 'word', syntax: words('A', 'B') },
    (p: { field: string; datasource: string; type: string; syntax: 'A' | 'B' }) => ({
      message: `Datasource '${p.datasource}' is of type ${p.type}, which does not accept '${p.field}'.`,
      hint:
        p.type !== 'db'
          ? p.syntax === 'A'
            ? p.type === 'smtp'
              ? "Write 'message' for a mail server."
              : "Write 'request' for a third-party API."
            : "Only Syntax A calls third-party APIs: write the operation with 'instructions' that have a 'request'."
          : p.syntax === 'A'
            ? "Write 'query' or 'sql' for a database."
            : "Write 'query' for a database.",
    }),
  ),
  'unknown-datasource': error(
    { name: 'text', nearest: 'suggestion', names: 'text' },
    (p: { name: string; nearest: string | undefined; names: readonly string[] }) => ({
      message: `Unknown datasource '${p.name}'.`,
      ...meantOr(
        p.nearest,
        `Add it to the section 'datasources'${p.names.length === 0 ? '' : `, which has ${quotedList(p.names.slice(0, 10))}`}.`,
      ),
      isSuggestion: !isUnambiguous(p.name, p.names),
      subject: p.name,
    }),
  ),

  'unused-datasource': error(
    { written: 'text', used: 'word' },
    (p: { written: string; used: string; uses: readonly Span[] }) => ({
      message: `Datasource '${p.written}' is not used, and '${p.used}' is missing.`,
      hint: `Did you mean '${p.used}'?`,
      instead: p.used,
      // Either name may be the right one.
      isSuggestion: true,
      related: p.uses.map((span) => ({ span, message: `'${p.used}' is used here` })),
    }),
  ),

  'wrong-url': error({ problem: 'sentence', hint: 'sentence', near: 'word' }, (p: WrongUrl) => ({
    message: `The database URL cannot be used: ${p.problem}.`,
    hint: p.hint,
    ...(p.scheme && { instead: p.near, insteadOf: p.scheme }),
  })),
  'url-option': warning(
    { problem: 'sentence', hint: 'sentence', near: 'word' },
    (p: { problem: string; hint: string | undefined; near: string | undefined }) => ({
      message: `${p.problem.charAt(0).toUpperCase()}${p.problem.slice(1)}.`,
      hint: didYouMean(p.near) ?? p.hint,
      instead: p.near,
    }),
  ),
  'unknown-driver': error({ driver: 'text' }, (p: { driver: string }) => ({
    message: p.driver === '…' ? 'Unknown database driver.' : `Unknown database driver '${p.driver}'.`,
    hint: 'Write org.postgresql.Driver, com.mysql.cj.jdbc.Driver, org.mariadb.jdbc.Driver, pg or mysql2, or remove the field: the URL is enough.',
  })),
  'type-disagrees': error(
    { resource: 'sentence', written: 'text', meant: words('db', 'rest', 'smtp') },
    (p: { resource: string; written: string; meant: 'db' | 'rest' | 'smtp' }) => ({
      message: `${p.resource} is of type ${p.written}, but its URL is that of a ${{ db: 'database', rest: 'third-party API', smtp: 'mail server' }[p.meant]}.`,
      hint: `Write type: ${p.meant}, or correct the URL.`,
      instead: p.meant,
      isSuggestion: true,
    }),
  ),
  'driver-disagrees': error(
    { driver: 'text', dialect: 'word' },
    (p: { driver: string; dialect: string }) => ({
      message: `The driver '${p.driver}' does not match the URL of ${p.dialect}.`,
      hint: `Remove 'driver': the URL is enough. Or write driver: ${p.dialect === 'PostgreSQL' ? 'org.postgresql.Driver' : 'mysql2'}, or correct the URL.`,
    }),
  ),
  'wrong-reference': error(
    { reference: 'reference', opening: 'text', closing: 'text', why: 'sentence', behind: 'text' },
    (p: {
      reference: string | undefined;
      /** The characters before the name; undefined if the name is a guess. */
      opening: string | undefined;
      /** The characters after the name, if they are wrong, too. */
      closing?: string;
      why: string;
      /** The characters to write after the name, if `replaced` is replaced. */
      behind?: string;
      replaced?: Span;
      isGuess?: boolean;
    }) => ({
      message: `${p.reference === undefined || p.opening === undefined ? 'This' : `'${p.opening}${p.reference}${p.closing ?? ''}'`} is not an environment reference: ${p.why}.`,
      hint: `Write \${${p.reference ?? 'NAME'}} or \${${p.reference ?? 'NAME'}:default}. To use these characters in a value, set it in the environment.`,
      instead:
        p.behind === undefined || p.reference === undefined ? undefined : `\${${p.reference}${p.behind}`,
      insteadOf: p.replaced,
      isSuggestion: p.isGuess === true,
    }),
  ),
  'shell-default': warning({ reference: 'reference' }, (p: { reference: string }) => ({
    message: `This default begins with '-': ':-' is written in a shell only.`,
    hint: "Write ':' instead of ':-', which means the same here.",
    instead: `\${${p.reference}:`,
  })),
  'unknown-dialect': error(() => ({
    message: 'Unknown database: the whole URL is an environment reference.',
    hint: 'Write the scheme (jdbc:postgresql://${DB_HOST}/news), set a default (${DB_URL:jdbc:postgresql://localhost/news}), or add driver: pg or driver: mysql2.',
  })),
};

export const includeEntries = {
  'wrong-include': error(
    { problem: 'sentence', hint: 'sentence' },
    (p: { problem: string; hint: string }) => ({
      message: `${p.problem}.`,
      hint: p.hint,
    }),
  ),
  'not-operations': error(
    { problem: 'sentence', hint: 'sentence' },
    (p: { problem: string; hint: string }) => ({
      message: `An included file is a map of operations: ${p.problem}.`,
      hint: p.hint,
    }),
  ),
};

export const commentEntries = {
  'wrong-comment': warning(
    { problem: 'sentence', hint: 'sentence' },
    (p: { problem: string; hint: string }) => ({
      message: `This comment has no effect: ${p.problem}.`,
      hint: p.hint,
    }),
  ),
  'unknown-code': warning(
    { code: 'text', codes: 'text' },
    (p: { code: string; codes: readonly string[] }) => ({
      message: `Unknown diagnostic code '${p.code}'.`,
      ...meantOr(nearest(p.code, p.codes), "'apikiln explain --codes' lists all codes."),
      isSuggestion: !isUnambiguous(p.code, p.codes),
    }),
  ),
  'cannot-be-disabled': warning({ code: 'text' }, (p: { code: string }) => ({
    message: `'${p.code}' cannot be disabled: no service can be generated while it is reported.`,
    hint: 'Fix the error, and remove its code from the comment.',
  })),
  'unneeded-comment': warning({ code: 'text' }, (p: { code: string }) => ({
    message: `'${p.code}' is not reported here.`,
    hint: 'Remove it from the comment.',
  })),
};
