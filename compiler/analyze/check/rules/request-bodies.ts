/** Checks `request` and `contentTypes` of operations (docs/design/endpoints.md#web-3.7). */
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { words } from '../../../read/diagnostics/marks.js';
import { acceptedTypes, isForm, needsNoPreflight } from '../../operations/requests/accepted-types.js';
import { describedContent } from '../../operations/requests/served-endpoint.js';
import { rule } from '../rule.js';

type Problem = 'type' | 'preflight' | 'form';

/** Reports content types of requests that are not media types, or that would let pages of other origins send JSON. */
export const requestType = rule(
  {
    'request-type': error(
      { type: 'text', problem: words('type', 'preflight', 'form') },
      (p: { type: string; problem: Problem }) => ({
        message: {
          type: `'${p.type}' is not a media type without parameters.`,
          preflight: `Pages of any origin can send '${p.type}' with the cookies of their visitors, without asking the service (a preflight request).`,
          form: `'${p.type}' is a form, which BODY does not read.`,
        }[p.problem],
        hint: {
          type: "Write a type such as 'application/vnd.api+json'. The charset is always UTF-8.",
          preflight: "Write a type of JSON. To read such a body as one string, write 'request: text'.",
          form: 'Describe the form in the API description, and read its fields with PARAM.',
        }[p.problem],
      }),
    ),
    'body-without-request': error({ operation: 'text' }, (p: { operation: string }) => ({
      message: `'${p.operation}' is not an endpoint, so it does not receive bodies of requests.`,
      hint: "Remove 'request' and 'contentTypes'. A body that another operation passes can have any type.",
    })),
  },
  ({ report }) => ({
    operation: ({ accepts, endpoint, name, fields }) => {
      const span = fields.get('request') ?? fields.get('contentTypes');
      if (span !== undefined && endpoint === undefined)
        report('body-without-request', span, { operation: name.value });
      for (const { value: type, span: written } of accepts?.types ?? []) {
        const problem = !mediaType.test(type)
          ? 'type'
          : isForm(type)
            ? 'form'
            : needsNoPreflight(type) && accepts?.kind === 'json'
              ? 'preflight'
              : undefined;
        if (problem !== undefined) report('request-type', written, { type, problem });
      }
    },
  }),
);

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i;

/** Reports accepted content types that the API description does not have: their bodies are not validated. */
export const undescribedType = rule(
  {
    'undescribed-type': warning({ type: 'text' }, (p: { type: string }) => ({
      message: `The API description has no request body of the type '${p.type}'.`,
      hint: "Add it under 'content' of the 'requestBody', so that clients know it and bodies are validated.",
    })),
  },
  ({ analysis, report }) => ({
    end: () => {
      for (const { operation, endpoint } of analysis.operations) {
        const types = acceptedTypes(operation.accepts);
        if (endpoint === undefined || types === undefined) continue;
        const { body } = endpoint;
        const missing = types.find(
          (type) => body === undefined || describedContent(body, type) === undefined,
        );
        const span = operation.fields.get('contentTypes') ?? operation.fields.get('request');
        if (missing !== undefined && span !== undefined) report('undescribed-type', span, { type: missing });
      }
    },
  }),
);
