/** Requests to third-party APIs: methods, bodies, statuses. */
import type { BodyType, DataFulfillment, Request, Schema } from '../../../read/config/config-model.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Comparison, Expression } from '../../../read/expression/ast.js';
import { rule } from '../rule.js';
import { constantIn } from '../visited-headers.js';

/** READs with a method that changes something, and UPDATEs with one that does not (RFC 9110, 9.2.1). A search may be a POST. */
export const readMethod = rule(
  {
    'read-method': warning((p: { method: string }) => ({
      message: `A READ sends ${p.method}, which changes data.`,
      hint: 'Write type: UPDATE, or httpType: GET.',
    })),
    'update-method': warning((p: { method: string }) => ({
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

/** A GET with values in its URL may change something after all, and be an UPDATE so that it is never sent twice. */
function passesNothing({ url }: Request): boolean {
  return url?.value.every((part) => typeof part === 'string' && !part.includes('?')) === true;
}

/** Requests that have both kinds of body (decisions 6.4). */
export const bodyAndMultipart = rule(
  {
    'body-and-multipart': error(() => ({
      message: "This request has both 'body' and 'multipart'.",
      hint: "Remove one of the two: 'body' sends JSON or a form, 'multipart' sends files and texts as parts.",
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

/** `body` and `multipart` of a request whose method has no body (decisions 6.4). */
export const bodyWithoutMethod = rule(
  {
    'body-without-method': error((p: { field: string; method: string }) => ({
      message: `A ${p.method} request cannot have '${p.field}'.`,
      hint: "Put the values in the query of the 'url', or use POST, PUT or PATCH.",
    })),
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

/** A header Content-Type of another kind than the body that is sent. */
export const contentTypeDiffers = rule(
  {
    'content-type-differs': warning((p: { type: BodyType; header: string; isForm: boolean }) => ({
      message: `The header Content-Type is '${p.header}', but the body is ${p.type === 'json' ? 'JSON' : 'a form'}.`,
      hint:
        p.type === 'json' && p.isForm
          ? "Write 'contentType: form' in the body, and remove the header."
          : 'Remove the header: it is set automatically.',
    })),
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

/** Values of a form that are maps: a form has one string for each field. */
export const nestedInForm = rule(
  {
    'nested-in-form': error((p: { key: string; inner: string | undefined }) => ({
      message: `The field '${p.key}' of a form cannot hold a map.`,
      hint:
        p.inner === undefined
          ? "Write an expression for each field, or 'contentType: json'."
          : `Many APIs read '${p.key}[${p.inner}]': write such a field for each value, or 'contentType: json'.`,
    })),
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

/** An expression, or a list of them. */
function isPlain(value: Schema): boolean {
  return value.kind === 'leaf' || (value.kind === 'array' && value.item.kind === 'leaf');
}

/** MULTIPART_FILE anywhere but as a whole part of a request or in a comparison with null (specification, Multipart rules; decisions 6.7). */
export const fileOutsideMultipart = rule(
  {
    'file-outside-multipart': error((p: { part: string }) => ({
      message: `MULTIPART_FILE(${p.part}) is a file, not a JSON value: it can only be a part of a request.`,
      hint: `Write it as the whole value of a part under 'multipart'. MULTIPART_FILE(${p.part}) == NULL() tests whether it was sent; PARAM reads a text field.`,
    })),
  },
  ({ report }) => {
    /** The request of a fulfillment is visited before its expressions. */
    const passedOn = new Set<Expression>();
    return {
      request: ({ multipart }) => {
        for (const { value } of multipart) passedOn.add(value);
      },
      comparison: (node) => {
        for (const file of comparedWithNull(node)) passedOn.add(file);
      },
      'multipart-file': (node) => {
        if (!passedOn.has(node)) report('file-outside-multipart', node.span, { part: node.part });
      },
    };
  },
);

/** `MULTIPART_FILE(part) == NULL()`: whether the file was sent. */
function comparedWithNull({ operator, left, right }: Comparison): readonly Expression[] {
  if (operator !== '==' && operator !== '!=') return [];
  const sides = [left, right];
  return sides.some(({ kind }) => kind === 'null') ? sides : [];
}

/** STATUS of a fulfillment that calls no third-party API (decisions 3.9). */
export const statusWithoutRequest = rule(
  {
    'status-without-request': error((p: { name: string; test: string }) => ({
      message: `'${p.name}' has no HTTP status: it does not call a third-party API.`,
      hint: `Write ${p.test} to test that ${p.test.startsWith('SIZE') ? 'it has no rows' : 'it changed no rows'}.`,
    })),
  },
  ({ analysis, report }) => ({
    status: ({ name, nameSpan }, { scope }) => {
      const fulfillment = scope.visible.get(name);
      if (fulfillment === undefined) return;
      /** An unknown result has been reported elsewhere. */
      const mayHaveStatus =
        (fulfillment.type === 'READ' || fulfillment.type === 'UPDATE') &&
        analysis.datasource(fulfillment.datasource.value)?.type !== 'db';
      if (mayHaveStatus) return;
      const isChange =
        fulfillment.type === 'UPDATE' &&
        analysis.datasource(fulfillment.datasource.value)?.dialect === 'mysql';
      const test = isChange
        ? `VALUE(${name}, $.affected_rows) == INTEGER(0)`
        : `SIZE(VALUE(${name}, $)) == INTEGER(0)`;
      report('status-without-request', nameSpan, { name, test });
    },
  }),
);
