/** Checks requests to third-party APIs: methods, bodies, statuses, failures. */
import {
  asThirdParty,
  type BodyType,
  type DataFulfillment,
  type Fulfillment,
  type Operation,
  type Request,
  type Retry,
  type Schema,
} from '../../../read/config/config-model.js';
import { allFulfillments, deliveredRequests } from '../../../read/config/walk.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type {
  Comparison,
  Expression,
  FailureByIndex,
  FailureOf,
  Path,
  Status,
  StatusByIndex,
} from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import { isFiles } from '../../../read/expression/visit.js';
import { rule } from '../rule.js';
import { constantIn } from '../visited-headers.js';
import type { Analysis } from '../../operations/analysis.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports READs with a method that changes data, and UPDATEs with a method that does not (RFC 9110, 9.2.1). A search can be a POST. */
export const readMethod = rule(
  {
    'read-method': warning({ method: 'word' }, (p: { method: string }) => ({
      message: `A READ sends ${p.method}, which changes data.`,
      hint: 'Write type: UPDATE, or httpType: GET.',
    })),
    'update-method': warning({ method: 'word' }, (p: { method: string }) => ({
      message: `An UPDATE sends ${p.method}, which changes nothing.`,
      hint: 'Write type: READ, or the method that changes something, such as POST.',
    })),
  },
  ({ report }) => {
    const updates: { readonly request: Request; readonly fulfillment: DataFulfillment }[] = [];
    const read = new Set<unknown>();
    return {
      request: (request, { fulfillment }) => {
        const { value: method, span } = request.httpType;
        if (fulfillment.type === 'READ' && /^(?:PUT|PATCH|DELETE)$/.test(method))
          report('read-method', span, { method });
        if (fulfillment.type === 'UPDATE' && /^(?:GET|HEAD)$/.test(method) && passesNothing(request))
          updates.push({ request, fulfillment });
      },
      node: (node, { scope }) => {
        if (node.kind === 'value' || node.kind === 'result') read.add(scope.visible.get(node.name));
      },
      end: () => {
        // If nothing reads the response, the request is sent for its effect.
        for (const { request, fulfillment } of updates) {
          const { value: method, span } = request.httpType;
          if (read.has(fulfillment)) report('update-method', span, { method });
        }
      },
    };
  },
);

/** Whether the URL does not pass any values. A GET with values may change data, and be an UPDATE so that it is never sent twice. */
function passesNothing({ url }: Request): boolean {
  return url?.value.every((part) => typeof part === 'string' && !part.includes('?')) === true;
}

/** Reports requests with both `body` and `multipart`. */
export const bodyAndMultipart = rule(
  {
    'body-and-multipart': error(() => ({
      message: "This request has both 'body' and 'multipart'.",
      hint: "Remove one of the two: 'body' sends JSON or a form, 'multipart' sends files and strings as parts.",
    })),
  },
  ({ report }) => ({
    request: ({ httpType: { value: method }, fields }) => {
      const [body, multipart] = [fields.get('body'), fields.get('multipart')];
      if (method === 'GET' || method === 'HEAD' || body === undefined || multipart === undefined) return;
      report('body-and-multipart', multipart.start > body.start ? multipart : body);
    },
  }),
);

/** Reports `body` and `multipart` with a method that does not have a body. */
export const bodyWithoutMethod = rule(
  {
    'body-without-method': error(
      { field: 'text', method: 'word' },
      (p: { field: string; method: string }) => ({
        message: `A ${p.method} request cannot have '${p.field}'.`,
        hint: "Put the values in the query of the 'url', or use POST, PUT or PATCH.",
      }),
    ),
  },
  ({ report }) => ({
    request: ({ httpType: { value: method }, fields }) => {
      if (method !== 'GET' && method !== 'HEAD') return;
      for (const field of ['body', 'multipart']) {
        const span = fields.get(field);
        if (span !== undefined) report('body-without-method', span, { field, method });
      }
    },
  }),
);

/** Reports a Content-Type header that differs from the body. */
export const contentTypeDiffers = rule(
  {
    'content-type-differs': warning(
      { type: words('form', 'json'), header: 'text' },
      (p: { type: BodyType; header: string; isForm: boolean }) => ({
        message: `The header Content-Type is '${p.header}', but the body is ${p.type === 'json' ? 'JSON' : 'a form'}.`,
        hint:
          p.type === 'json' && p.isForm
            ? "Write 'contentType: form' in the body, and remove the header."
            : 'Remove the header: it is set automatically.',
      }),
    ),
  },
  ({ report }) => ({
    request: ({ header, bodyType: type }) => {
      if (type === undefined) return;
      for (const { name, value, valueSpan } of header) {
        if (name.value.toLowerCase() !== 'content-type') continue;
        const written = constantIn(value);
        const isForm = urlencoded.test(written);
        if (type === 'json' ? isForm || multipart.test(written) : json.test(written))
          report('content-type-differs', valueSpan, { type, header: written.trim(), isForm });
      }
    },
  }),
);

const urlencoded = /^\s*application\/x-www-form-urlencoded\b/i;
const multipart = /^\s*multipart\//i;
const json = /^\s*application\/(?:json|[\w.-]+\+json)\b|^\s*multipart\//i;

/** Reports form values that are maps: a form has one string per field. */
export const nestedInForm = rule(
  {
    'nested-in-form': error(
      { key: 'text', inner: 'text' },
      (p: { key: string; inner: string | undefined }) => ({
        message: `The field '${p.key}' of a form cannot hold a map.`,
        hint:
          p.inner === undefined
            ? "Write an expression for each field, or 'contentType: json'."
            : `Many APIs read '${p.key}[${p.inner}]': write such a field for each value, or 'contentType: json'.`,
      }),
    ),
    'form-without-fields': error(() => ({
      message: 'The schema of a form must be a map of its fields.',
      hint: "Write a line for each field, such as 'id: PARAM(id)'. To send this value as JSON, write 'contentType: json'.",
    })),
  },
  ({ report }) => ({
    request: ({ body, bodyType }) => {
      if (bodyType !== 'form' || body === undefined) return;
      if (body.kind !== 'object') {
        const span = body.kind === 'leaf' ? body.value.span : body.list.span;
        report('form-without-fields', span);
        return;
      }
      for (const { key, value, span } of body.fields) {
        if (isPlain(value)) continue;
        const inner = value.kind === 'object' ? value.fields[0]?.key : undefined;
        report('nested-in-form', span, { key, inner });
      }
    },
  }),
);

/** Whether the value is an expression or a list of expressions. */
function isPlain(value: Schema): boolean {
  return value.kind === 'leaf' || (value.kind === 'array' && value.item.kind === 'leaf');
}

/** Reports MULTIPART_FILE except as a whole part of a request, SQL value or field of an input of user code, or in a comparison with null. */
export const fileOutsideMultipart = rule(
  {
    'file-outside-multipart': error(
      { file: 'text', test: 'text', field: 'text', parameter: 'text' },
      (p: { file: string; test: string; field: string; parameter: string }) => ({
        message: `${p.file} is a file, not a JSON value: it can only be a part of a request, a value of SQL, or in the input of CODE.`,
        hint: `Write it as the whole value of a part under 'multipart', as a placeholder for a binary column, or as a field of 'input'. ${p.test} tests whether it was sent, ${p.field} is its name, and ${p.parameter} reads a text field.`,
      }),
    ),
    'file-field': error(
      { file: 'text', fields: 'text' },
      (p: { file: string; fields: readonly string[] }) => ({
        message: `A file has no such field: ${p.file}.`,
        hint: `Write ${p.fields.join(', ')} (bytes), or the file itself, without a path.`,
      }),
    ),
  },
  ({ report }) => {
    /** Allowed uses, because a fulfillment's request is visited before its expressions. */
    const passedOn = new Set<Expression>();
    return {
      request: ({ multipart }) => {
        for (const { value } of multipart) passedOn.add(value);
      },
      statement: ({ bindings }) => {
        for (const value of bindings) if (!isFiles(value)) passedOn.add(value);
      },
      fulfillment: (fulfillment) => {
        if (fulfillment.type === 'CODE') for (const value of fieldsOf(fulfillment.input)) passedOn.add(value);
      },
      comparison: (node) => {
        for (const file of comparedWithNull(node)) if (!isFiles(file)) passedOn.add(file);
      },
      'multipart-file': (node, { operation: { syntax } }) => {
        const list = node.path[0]?.kind === 'all' ? node.path.slice(0, 1) : [];
        const [step, ...others] = node.path.slice(list.length);
        const print = (path: Path): string => printExpression({ ...node, path }, syntax);
        const fields = fileFields.map((name) => print([...list, { kind: 'name', name }]));
        const [nameOf = ''] = fields;
        const emptyTest = syntax === 'A' ? `SIZE(${nameOf}) == INTEGER(0)` : `${nameOf}.size() == 0`;
        if (step === undefined && !passedOn.has(node))
          report('file-outside-multipart', node.span, {
            file: print(list),
            test: list.length > 0 ? emptyTest : `${print([])} == ${syntax === 'A' ? 'NULL()' : 'null'}`,
            field: nameOf,
            parameter: syntax === 'A' ? 'PARAM' : 'param',
          });
        const isField = step?.kind === 'name' && fileFields.includes(step.name) && others.length === 0;
        if (step !== undefined && !isField)
          report('file-field', node.span, { file: printExpression(node, syntax), fields });
      },
    };
  },
);

/** The values of the schema, except those of lists: each element would have a copy of the file. */
function fieldsOf(schema: Schema | undefined): readonly Expression[] {
  if (schema?.kind === 'leaf') return [schema.value];
  return schema?.kind === 'object' ? schema.fields.flatMap(({ value }) => fieldsOf(value)) : [];
}

const fileFields: readonly string[] = ['name', 'type', 'size'];

/** The operands of `MULTIPART_FILE(part) == NULL()`, which tests whether the file was sent. */
function comparedWithNull({ operator, left, right }: Comparison): readonly Expression[] {
  if (operator !== '==' && operator !== '!=') return [];
  const sides = [left, right];
  return sides.some(({ kind }) => kind === 'null') ? sides : [];
}

/** Reports STATUS of a fulfillment that calls neither a third-party API nor an operation whose failures have a status. */
export const statusWithoutRequest = rule(
  {
    'status-without-request': error(
      { name: 'text', test: 'text' },
      (p: { name: string; test: string; isCall: boolean }) => ({
        message: p.isCall
          ? `'${p.name}' has no HTTP status: if the called operation fails, this one ends.`
          : `'${p.name}' has no HTTP status: it does not call a third-party API.`,
        hint: p.isCall
          ? "Write 'onFailure: continue' in the reference to continue after a failure."
          : `Write ${p.test} to test that ${p.test.startsWith('SIZE') ? 'it has no rows' : 'it changed no rows'}.`,
      }),
    ),
  },
  ({ analysis, report }) => {
    const check = (
      { kind, name, nameSpan }: Status | StatusByIndex,
      fulfillment: Fulfillment | undefined,
    ): void => {
      if (fulfillment === undefined || (fulfillment.type === 'REFERENCE' && fulfillment.continues)) return;
      // A call after the commit has no result at all.
      if (fulfillment.type === 'DEFERRED') return;
      /** An unknown result has been reported elsewhere. */
      const mayHaveStatus =
        (fulfillment.type === 'READ' || fulfillment.type === 'UPDATE') &&
        analysis.datasource(fulfillment.datasource.value)?.type !== 'db';
      if (mayHaveStatus) return;
      const isChange =
        fulfillment.type === 'UPDATE' &&
        analysis.datasource(fulfillment.datasource.value)?.dialect === 'mysql';
      const read = kind === 'status' ? `VALUE(${name}, $` : `VALUE_BY_INDEX(${name}, <index>, $`;
      const test = isChange ? `${read}.affected_rows) == INTEGER(0)` : `SIZE(${read})) == INTEGER(0)`;
      const isCall = fulfillment.type === 'REFERENCE';
      report('status-without-request', nameSpan, { name, test, isCall });
    };
    return {
      status: (node, { scope }) => {
        check(node, scope.visible.get(node.name));
      },
      'status-by-index': (node, { analyzed }) => {
        check(node, analyzed.stored(node.name));
      },
    };
  },
);

/** Reports FAILURE and RESPONSE_HEADER of a fulfillment that does not have these. */
export const failureWithoutContinue = rule(
  {
    'failure-without-continue': error({ name: 'text' }, (p: { name: string; isByIndex: boolean }) => ({
      message: `FAILURE${p.isByIndex ? '_BY_INDEX' : ''}(${p.name}${p.isByIndex ? ', <index>' : ''}) is always null: a failure of '${p.name}' ends the operation.`,
      hint: "Write 'onFailure: continue' in its fulfillment.",
    })),
    'not-a-request': error(
      { name: 'text', written: 'text' },
      (p: { name: string; written: string; isCall: boolean }) => ({
        message: `'${p.name}' has no ${p.written}: it does not call a third-party API.`,
        hint: p.isCall
          ? `STATUS(${p.name}) is the status of the called operation.`
          : 'Read its rows instead.',
      }),
    ),
  },
  ({ analysis, report }) => {
    const check = (
      { kind, name, nameSpan }: FailureOf | FailureByIndex,
      fulfillment: Fulfillment | undefined,
    ): void => {
      if (fulfillment === undefined || fulfillment.type === 'DEFERRED') return;
      if (!mayBeRequest(fulfillment, analysis)) {
        const isCall = fulfillment.type === 'REFERENCE';
        report('not-a-request', nameSpan, { name, written: 'FAILURE', isCall });
      } else if (!fulfillment.fields.has('onFailure') && deliveredRequests(fulfillment).length === 0)
        report('failure-without-continue', nameSpan, { name, isByIndex: kind === 'failure-by-index' });
    };
    return {
      failure: (node, { scope }) => {
        check(node, scope.visible.get(node.name));
      },
      'failure-by-index': (node, { analyzed }) => {
        check(node, analyzed.stored(node.name));
      },
      'response-header': ({ name, nameSpan }, { scope }) => {
        const fulfillment = scope.visible.get(name);
        if (fulfillment === undefined || fulfillment.type === 'DEFERRED') return;
        if (mayBeRequest(fulfillment, analysis)) return;
        const isCall = fulfillment.type === 'REFERENCE' && fulfillment.continues;
        report('not-a-request', nameSpan, { name, written: 'RESPONSE_HEADER', isCall });
      },
    };
  },
);

/** Whether the fulfillment may send requests; true for an unknown datasource, which has been reported. */
function mayBeRequest(fulfillment: Fulfillment, analysis: Analysis): boolean {
  return 'datasource' in fulfillment && analysis.datasource(fulfillment.datasource.value)?.type !== 'db';
}

/**
 * Reports `onFailure: continue` where the operation cannot continue: for statements, and for calls inside a transaction, which a failure
 * ends.
 */
export const onFailureOfStatement = rule(
  {
    'on-failure-of-statement': error({ name: 'text' }, (p: { name: string }) => ({
      message: `'onFailure' is for requests and references, but '${p.name}' uses a database.`,
      hint: "Move the statement to another operation, and call that operation by reference, with 'onFailure: continue'.",
    })),
    'on-failure-in-transaction': error({ name: 'text' }, (p: { name: string }) => ({
      message: `'${p.name}' cannot continue after a failure: the failure rolls back its transaction.`,
      hint: "Remove 'onFailure: continue', or 'transaction: true' around it.",
    })),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment, { operation }) => {
      const span = fulfillment.fields.get('onFailure');
      if (span === undefined) return;
      const name = fulfillment.name.value;
      if ('datasource' in fulfillment && !mayBeRequest(fulfillment, analysis))
        report('on-failure-of-statement', span, { name });
      if (fulfillment.type === 'REFERENCE' && analysis.insideTransactions.has(operation))
        report('on-failure-in-transaction', span, { name });
    },
  }),
);

/** Reports `pages` of a request that changes data: each page would repeat the change. */
export const pagesOfChange = rule(
  {
    'pages-of-change': error({ method: 'word' }, (p: { method: string }) => ({
      message: `Only a GET can have 'pages', but this is a ${p.method}.`,
      hint: "Write httpType: GET, or remove 'pages'.",
    })),
  },
  ({ report }) => ({
    request: ({ httpType: { value: method }, fields }) => {
      const span = fields.get('pages');
      if (span !== undefined && method !== 'GET') report('pages-of-change', span, { method });
    },
  }),
);

/** Reports retry pauses while a transaction holds its locks. */
export const retryInTransaction = rule(
  {
    'retry-in-transaction': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `The transaction holds its locks while '${p.name}' waits for its next attempt.`,
      hint: "Send it before or after the transaction, or write 'retry: { times: 0 }' in this request.",
    })),
  },
  ({ analysis, report }) => ({
    request: (request, { operation, fulfillment, datasource }) => {
      const isRepeated = !request.isDelivered && isRetried(request.retry ?? asThirdParty(datasource)?.retry);
      if (!analysis.insideTransactions.has(operation) || !isRepeated) return;
      if (!mayHaveBegun(fulfillment, operation, analysis)) return;
      const span = request.fields.get('retry') ?? request.httpType.span;
      report('retry-in-transaction', span, { name: fulfillment.name.value });
    },
  }),
);

/** Whether the transaction may have begun before the fulfillment: it begins with its first statement. */
function mayHaveBegun(fulfillment: Fulfillment, operation: Operation, analysis: Analysis): boolean {
  // The operation may be part of another operation's transaction.
  if (!operation.transaction || analysis.called.has(operation.name.value)) return true;
  for (const step of operation.fulfillments) {
    const steps = allFulfillments([step]).map((one) => one.fulfillment);
    const sends = steps.some(
      (one) =>
        one.type === 'REFERENCE' ||
        one.type === 'CODE' ||
        ('datasource' in one && analysis.datasource(one.datasource.value)?.type !== 'rest'),
    );
    if (sends) return true;
    if (steps.includes(fulfillment)) return false;
  }
  return true;
}

/** Reports `retry` of a request that is hardly ever sent again, because its method is not idempotent and there is no idempotency key. */
export const retryWithoutKey = rule(
  {
    'retry-without-key': warning({ method: 'word' }, (p: { method: string }) => ({
      message: `This ${p.method} is repeated only if no part of it was sent.`,
      hint: "Write 'idempotencyKey: <expression>', if the API knows the header Idempotency-Key.",
    })),
  },
  ({ report }) => ({
    request: (request, { fulfillment }) => {
      const span = request.fields.get('retry');
      if (
        span === undefined ||
        request.isDelivered ||
        !isRetried(request.retry) ||
        isRepeatable(request, fulfillment.type)
      )
        return;
      report('retry-without-key', span, { method: request.httpType.value });
    },
  }),
);

function isRetried(retry: Retry | undefined): boolean {
  return retry !== undefined && retry.times > 0;
}

/** Whether a request that was sent can be repeated; same decision as in the runtime (runtime/rest/retry.ts). */
function isRepeatable({ httpType, header }: Request, use: 'READ' | 'UPDATE'): boolean {
  const { value: method } = httpType;
  if (method === 'PUT' || method === 'DELETE') return true;
  if ((method === 'GET' || method === 'HEAD') && use === 'READ') return true;
  return header.some(({ name }) => name.value.toLowerCase() === 'idempotency-key');
}
