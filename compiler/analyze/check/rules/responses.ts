/** Checks an operation's responses: which exist, when each is sent, and whether its body matches its content type. */
import type {
  Exception,
  Fulfillment,
  Operation,
  Response,
  Schema,
} from '../../../read/config/config-model.js';
import {
  bodyKind,
  charsetOf,
  contentKind,
  isFileType,
  otherFiles,
  writtenTypes,
  type ContentKind,
} from '../../../read/openapi/media-type.js';
import { neverHasBody } from '../../../read/config/status.js';
import { storedType } from '../../../read/config/walk.js';
import { error, ordinaryError, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import type { Expression, Syntax } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { Span } from '../../../read/source.js';
import { wordSet } from '../../../read/wordset.js';
import type { Analysis } from '../../operations/analysis.js';
import { typeOf } from '../../types/infer.js';
import type { AnalyzedOperation, NestedFulfillment } from '../../operations/analyzed-operation.js';
import { rule, ruleOfWhole } from '../rule.js';
import { named } from '../sent-value.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports operations with neither a response nor a trigger. */
export const neitherResponseNorTrigger = rule(
  {
    'neither-response-nor-trigger': error({ name: 'text' }, (p: { name: string }) => ({
      message: `Operation '${p.name}' has neither responses nor triggers.`,
      hint: "Add 'triggers' to run it on a schedule, or responses: [{ name: done, default: true, statuscode: 200 }] to call it by reference; or name it like an endpoint, such as GET /news, to serve it.",
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint, fields }) => {
      if (endpoint !== undefined || fields.has('responses') || fields.has('triggers')) return;
      report('neither-response-nor-trigger', name.span, { name: name.value });
    },
  }),
);

/** Reports operations with an API trigger that lack a default response. */
export const missingDefaultResponse = rule(
  {
    'missing-default-response': error({ name: 'text' }, (p: { name: string; hasResponses: boolean }) => ({
      message: `Operation '${p.name}' has no default response.`,
      hint: p.hasResponses
        ? "Write 'default: true' in one of its responses."
        : 'Add responses: [{ name: ok, default: true, statuscode: 200 }]',
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint, responses, fields }) => {
      if (endpoint === undefined || responses.some((response) => response.default)) return;
      // The default response may be among the unreadable ones.
      const isReported =
        (responses.length === 0 && fields.has('responses')) ||
        responses.some((response) => !response.isDefaultKnown);
      if (!isReported)
        report('missing-default-response', fields.get('responses') ?? name.span, {
          name: name.value,
          hasResponses: responses.length > 0,
        });
    },
  }),
);

/** Reports operations with several default responses. */
export const severalDefaultResponses = rule(
  {
    'several-default-responses': error(
      { name: 'text', other: 'text' },
      (p: { name: string; other: string; hasIf: boolean; first: Span | undefined }) => ({
        message: `Second default response: '${p.other}' is already the default.`,
        hint: p.hasIf ? "Write 'default: false'." : `Write 'default: false' and an 'if' for '${p.name}'.`,
        related: p.first && [{ span: p.first, message: 'the first default response' }],
      }),
    ),
  },
  ({ report }) => ({
    operation: ({ responses }) => {
      const [first, ...others] = responses.filter((response) => response.default);
      for (const { name, fields } of others) {
        report('several-default-responses', fields.get('default') ?? name.span, {
          name: name.value,
          other: first?.name.value ?? '',
          hasIf: fields.has('if'),
          first: first && (first.fields.get('default') ?? first.name.span),
        });
      }
    },
  }),
);

/** Reports responses that are not the default and do not have a condition. */
export const responseNeverUsed = rule(
  {
    'response-never-used': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `Unused response '${p.name}': it is not the default and has no 'if'.`,
      hint: "Add an 'if', or remove it.",
    })),
  },
  ({ report }) => ({
    response: ({ name, default: isDefault, isDefaultKnown, fields }, { operation }) => {
      // A missing default has its own diagnostic.
      const hasDefault = operation.responses.some((other) => other.default || !other.isDefaultKnown);
      if (hasDefault && !isDefault && isDefaultKnown && !fields.has('if'))
        report('response-never-used', name.span, { name: name.value });
    },
  }),
);

/** Reports conditions on the default response, which is used if no other response matches. */
export const conditionOnDefault = rule(
  {
    'condition-on-default': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `The 'if' of the default response '${p.name}' has no effect.`,
      hint: "Remove the 'if': the default is sent when no other response is.",
    })),
  },
  ({ report }) => ({
    operation: ({ responses }) => {
      const first = responses.find((response) => response.default);
      const condition = first?.fields.get('if');
      if (first !== undefined && condition !== undefined)
        report('condition-on-default', condition, { name: first.name.value });
    },
  }),
);

/** Reports schemas for a status whose responses never have a body. */
export const bodyWithoutContent = rule(
  {
    'body-without-content': warning({}, (p: { status: number }) => ({
      message: `A response with status ${p.status} has no body, so this schema is not sent.`,
      hint: "Remove 'schema'. To send it, write statuscode: 200.",
    })),
  },
  ({ report }) => ({
    response: ({ statuscode, fields }) => {
      const status = statuscode.value;
      const schema = fields.get('schema');
      if (schema !== undefined && neverHasBody(status)) report('body-without-content', schema, { status });
    },
  }),
);

/** Reports exceptions with a success or redirect status. */
export const exceptionStatus = rule(
  {
    'exception-status': warning({}, (p: { status: number }) => ({
      message: `This exception has a success status: ${p.status}.`,
      hint: "Write a status from 400, such as 404. For a success write a response with an 'if' instead of this exception.",
    })),
    'default-status': warning({ name: 'text' }, (p: { name: string; status: number }) => ({
      message: `The default response '${p.name}' has an error status: ${p.status}.`,
      hint: 'Use a status such as 200 for it, and an exception for the error.',
    })),
  },
  ({ report }) => ({
    fulfillment: (fulfillment, { analyzed }) => {
      if (isBeforeChange(fulfillment, analyzed.fulfillments)) return;
      for (const { statuscode: status, statusSpan } of fulfillment.exceptions) {
        // A status without a body has its own diagnostic.
        if (status < 400 && !neverHasBody(status)) report('exception-status', statusSpan, { status });
      }
    },
    operation: ({ exceptions, responses, fulfillments }) => {
      for (const { statuscode: status, statusSpan } of exceptions)
        if (status < 400 && !neverHasBody(status) && fulfillments.length === 0)
          report('exception-status', statusSpan, { status });
      const isAlone = responses.every(({ statuscode }) => statuscode.value >= 400);
      for (const { default: isDefault, name, statuscode } of responses) {
        const status = statuscode.value;
        if (!isDefault || !isAlone || withdrawn.has(status)) continue;
        report('default-status', statuscode.span, { name: name.value, status });
      }
    },
  }),
);

/** Reports exceptions with status 412 if the client has the current version, that is, with a missing `!`. */
export const turnedIfMatch = rule(
  {
    'turned-if-match': warning({ instead: 'text' }, (p: { instead: string }) => ({
      message:
        'IF_MATCH is true if the client has the current version, but this exception refuses the request.',
      hint: `Write ${p.instead}.`,
      instead: p.instead,
      isSuggestion: true,
    })),
  },
  ({ report }) => {
    const check = (exceptions: readonly Exception[], syntax: Syntax): void => {
      for (const { if: condition, statuscode } of exceptions) {
        if (condition === undefined || statuscode !== 412) continue;
        for (const node of requiredIn(condition)) {
          if (node.kind !== 'if-match') continue;
          const instead = printExpression({ kind: 'not', operand: node, span: node.span }, syntax);
          report('turned-if-match', node.span, { instead });
        }
      }
    };
    return {
      operation: ({ exceptions, syntax }) => {
        check(exceptions, syntax);
      },
      fulfillment: ({ exceptions }, { operation }) => {
        check(exceptions, operation.syntax);
      },
    };
  },
);

/** The operands of a condition, across `&&` and `||`. */
function requiredIn(condition: Expression): Expression[] {
  return condition.kind === 'logical'
    ? [...requiredIn(condition.left), ...requiredIn(condition.right)]
    : [condition];
}

/** Statuses for endpoints that are no longer, or not yet, available. */
const withdrawn = new Set([410, 501, 503]);

/** Whether a change follows, so that the exception may end the operation early with success because no change is needed. */
function isBeforeChange(fulfillment: Fulfillment, all: readonly NestedFulfillment[]): boolean {
  const at = all.findIndex((one) => one.fulfillment === fulfillment);
  return all.slice(at + 1).some(({ fulfillment: { type } }) => type !== 'READ' && type !== 'LOOP');
}

/** Reports `contentType` with an invalid media type or with another charset than the service's. */
export const wrongContentType = rule(
  {
    'wrong-content-type': error(
      { type: 'text', charset: 'text' },
      (p: { type: string; charset: string | undefined }) => ({
        message:
          p.charset === undefined
            ? `'${p.type}' is not a media type.`
            : `Strings are sent as UTF-8, but this content type has the charset ${p.charset}.`,
        hint:
          p.charset !== undefined
            ? 'Remove the charset.'
            : isLikeExpression.test(p.type)
              ? 'A stored media type is sent if it is one of a list: contentType: { value: …, allowed: [image/png, image/jpeg] }'
              : p.type.includes('*')
                ? 'Write each type, such as image/png and image/jpeg.'
                : 'Write a type and a subtype, such as text/csv, text/plain or application/pdf.',
      }),
    ),
  },
  ({ report }) => ({
    response: ({ contentType }) => {
      if (contentType === undefined) return;
      for (const { value: type, span } of writtenTypes(contentType)) {
        const charset = charsetOf(type);
        if (contentKind(type) === undefined) report('wrong-content-type', span, { type, charset: undefined });
        // A file is sent unchanged.
        else if (charset !== undefined && !['utf-8', 'utf8'].includes(charset) && !isFileType(contentType))
          report('wrong-content-type', span, { type, charset });
      }
    },
  }),
);

/** Reports a media type that the list `allowed` has already: the first entry is sent, and parameters are ignored. */
export const duplicateMediaType = rule(
  {
    'duplicate-media-type': warning({ type: 'text' }, (p: { type: string }) => ({
      message: `The media type '${p.type}' is already in this list.`,
      hint: 'Remove it: the first entry with this type is sent.',
    })),
  },
  ({ report }) => ({
    response: ({ contentType }) => {
      if (contentType === undefined || !isFileType(contentType)) return;
      const seen = new Set<string>();
      for (const { value: type, span } of contentType.allowed) {
        const normal = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
        if (seen.has(normal)) report('duplicate-media-type', span, { type });
        seen.add(normal);
      }
    },
  }),
);

/** Reports `numbers: string` for databases whose columns have unknown types. */
export const unknownNumberTypes = ruleOfWhole(
  {
    'unknown-number-types': warning(
      { datasources: 'text' },
      (p: { datasources: readonly string[]; isEmbeddable: boolean }) => ({
        message: `'numbers: string' has no effect on ${quotedList(p.datasources, ' and ')}: the types of ${p.datasources.length === 1 ? 'its' : 'their'} columns are unknown.`,
        hint: p.isEmbeddable
          ? 'Write the tables to schema.sql, or name a server that has them, with --database.'
          : 'Name a server that has the tables, with --database; or cast each number to a string in SQL.',
      }),
    ),
  },
  ({ analysis, report }) => ({
    end: () => {
      const { settings } = analysis.config;
      const span = settings.fields.get('numbers');
      if (span === undefined || settings.numbers !== 'string') return;
      const unknown = analysis
        .questions()
        .filter(
          ({ statement }) => statement.returnsRows && analysis.descriptions.of(statement) === undefined,
        );
      const datasources = [...new Set(unknown.map(({ datasource }) => datasource))];
      if (datasources.length > 0)
        report('unknown-number-types', span, {
          datasources: datasources.map(({ name }) => name.value),
          isEmbeddable: datasources.some(({ dialect }) => dialect === 'postgresql'),
        });
    },
  }),
);

/** A placeholder, a function, or a path of Syntax B. */
const isLikeExpression = /:\[|^[A-Z][A-Z\d_]*\(|^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+$/u;

/** A media type that the response has, for messages. */
function exampleType(contentType: NonNullable<Response['contentType']>): string {
  return writtenTypes(contentType)[0]?.value ?? otherFiles;
}

/** A schema that cannot be sent as its content type. */
export const contentDiffers = rule(
  {
    'content-differs': error(
      { type: 'word', kind: words('csv', 'lines', 'text', 'bytes'), syntax: words('A', 'B') },
      (p: { type: string; kind: Exclude<ContentKind, 'json'>; syntax: Syntax }) => ({
        message: `A response of ${p.type} needs ${neededBodies[p.kind]}.`,
        hint: `Write schema: ${(p.syntax === 'A' ? examplesInA : examplesInB)[p.kind]}`,
      }),
    ),
  },
  ({ report }) => ({
    response: ({ contentType, schema, statuscode }, { operation }) => {
      const kind = bodyKind(contentType);
      if (contentType === undefined || kind === undefined || kind === 'json') return;
      if (fitsKind(schema, kind) || neverHasBody(statuscode.value)) return;
      report('content-differs', contentType.span, {
        type: exampleType(contentType),
        kind,
        syntax: operation.syntax,
      });
    },
  }),
);

/** Reports strings in responses whose content type is binary: the values are read as base64. */
export const bytesOfString = rule(
  {
    'bytes-of-string': warning(
      { type: 'text', column: 'word' },
      (p: { type: string; column: string | undefined }) => ({
        message: `A response of ${p.type} is read as base64, but this value is ${p.column === undefined ? 'an enum' : `a column of type ${p.column}`}.`,
        hint: 'Select a binary column. For text, use a content type such as text/plain; for base64 text, select decode(…).',
      }),
    ),
    'bytes-of-other': ordinaryError(
      { type: 'text', actual: 'word' },
      (p: { type: string; actual: string }) => ({
        message: `A response of ${p.type} is one string in base64, but this value is ${p.actual}: every request fails with 500.`,
        hint: 'Select a column of bytes, or write a content type such as application/json.',
      }),
    ),
  },
  ({ analysis, report }) => ({
    response: ({ contentType, schema, statuscode }, { analyzed }) => {
      if (contentType === undefined || bodyKind(contentType) !== 'bytes') return;
      if (schema?.kind !== 'leaf' || schema.isFaulty === true || neverHasBody(statuscode.value)) return;
      const value = analyzed.flow.built.get(schema);
      if (value === undefined) return;
      const type = exampleType(contentType);
      const { span } = schema.value;
      const kinds = [...value.kinds].filter((kind) => kind !== 'null');
      if (kinds.length > 0 && !kinds.includes('string'))
        report('bytes-of-other', span, { type, actual: named(kinds) });
      else if (kinds.length === 1 && value.words !== undefined)
        report('bytes-of-string', span, { type, column: undefined });
      else if (textColumns.has(value.column ?? '') && isOfPostgres(schema.value, analyzed, analysis))
        report('bytes-of-string', span, { type, column: value.column });
    },
  }),
);

/** Values that are never a media type. */
export const mediaTypeOfOther = rule(
  {
    'media-type-of-other': warning({ actual: 'word' }, (p: { actual: string }) => ({
      message: `A media type is a string, but this value is ${p.actual}: every file is sent as ${otherFiles}.`,
      hint: 'Select the column with the media type of the file.',
    })),
  },
  ({ report }) => ({
    response: (response, { analyzed: { flow } }) => {
      const stored = storedType(response);
      const environment = stored && flow.environments.get(stored);
      if (stored === undefined || environment === undefined) return;
      const kinds = [...typeOf(stored, environment).kinds].filter((kind) => kind !== 'null');
      if (kinds.length > 0 && !kinds.includes('string'))
        report('media-type-of-other', stored.span, { actual: named(kinds) });
    },
  }),
);

/** Of PostgreSQL: MySQL and MariaDB report columns of bytes as these, too. */
const textColumns = wordSet('text varchar bpchar char name citext uuid xml');

function isOfPostgres(value: Expression, { fulfillments }: AnalyzedOperation, analysis: Analysis): boolean {
  if (value.kind !== 'value' && value.kind !== 'result') return false;
  const found = fulfillments.find(({ fulfillment }) => fulfillment.name.value === value.name)?.fulfillment;
  if (found === undefined || !('datasource' in found)) return false;
  return analysis.datasource(found.datasource.value)?.dialect === 'postgresql';
}

const neededBodies = {
  csv: 'a list of objects, whose fields are the columns',
  lines: 'a list',
  text: 'one string',
  bytes: 'one string in base64',
};

const examplesInA = {
  csv: "{ list: 'VALUE(orders, $)', item: { id: 'VALUE(@, $.id)' } }",
  lines: "{ list: 'VALUE(orders, $)', item: { id: 'VALUE(@, $.id)' } }",
  text: 'VALUE(page, $.html)',
  bytes: 'VALUE(picture, $.bytes)',
};

const examplesInB = {
  csv: "{ list: orders, item: { id: '@.id' } }",
  lines: "{ list: orders, item: { id: '@.id' } }",
  text: 'page.html',
  bytes: 'picture.bytes',
};

function fitsKind(schema: Schema | undefined, kind: Exclude<ContentKind, 'json'>): boolean {
  switch (kind) {
    case 'csv':
      return schema?.kind === 'array' && schema.item.kind === 'object';
    case 'lines':
      return schema !== undefined && schema.kind !== 'object';
    case 'text':
    case 'bytes':
      return schema?.kind === 'leaf';
  }
}

/** Reports fields of a response that have no effect. */
export const unusedResponseField = rule(
  {
    'unused-response-field': error(
      { field: 'text', reason: 'sentence' },
      (p: { field: string; reason: string }) => ({
        message: `'${p.field}' has no effect here: ${p.reason}.`,
        hint: 'Remove it.',
      }),
    ),
  },
  ({ report }) => ({
    response: (response, { operation }) => {
      for (const [field, reason] of unusedFields(response, operation)) {
        const span = response.fields.get(field);
        if (span !== undefined) report('unused-response-field', span, { field, reason });
      }
    },
  }),
);

function unusedFields(response: Response, { endpoint }: Operation): [field: string, reason: string][] {
  const { statuscode, contentType, etag, schema } = response;
  const status = statuscode.value;
  const kind = bodyKind(contentType);
  const withoutBody = `a response with the status ${status} has no body`;
  const isRead = endpoint?.method === 'GET' || endpoint?.method === 'HEAD';
  return [
    ...(neverHasBody(status)
      ? (['contentType', 'fileName'] as const).map((field): [string, string] => [field, withoutBody])
      : []),
    // A body that does not match its content type has been reported.
    ...(response.spreadsheet &&
    kind !== 'csv' &&
    (kind === 'json' || (kind !== undefined && fitsKind(schema, kind)))
      ? ([['spreadsheet', "it belongs to 'contentType: text/csv'"]] as [string, string][])
      : []),
    ...unusedOmissions(response),
    ...(etag !== undefined && (status < 200 || status > 299)
      ? ([['etag', 'only responses with a 2xx status have a version']] as [string, string][])
      : etag === true && endpoint !== undefined && (!isRead || status !== 200)
        ? ([['etag', 'the hash of a body is for the status 200 of GET and HEAD']] as [string, string][])
        : etag === true && schema === undefined && neverHasBody(status)
          ? ([['etag', withoutBody]] as [string, string][])
          : []),
  ];
}

/** `omitNull` and `omitEmpty` of a body that is not JSON. */
function unusedOmissions({ statuscode, contentType, omits }: Response): [field: string, reason: string][] {
  const status = statuscode.value;
  const kind = bodyKind(contentType);
  const reason = neverHasBody(status)
    ? `a response with the status ${status} has no body`
    : kind === 'json' || kind === 'lines' || kind === undefined
      ? undefined
      : 'only fields of JSON can be omitted';
  if (reason === undefined) return [];
  return [
    ...(omits.null === undefined ? [] : ([['omitNull', reason]] as [string, string][])),
    ...(omits.empty === undefined ? [] : ([['omitEmpty', reason]] as [string, string][])),
  ];
}
