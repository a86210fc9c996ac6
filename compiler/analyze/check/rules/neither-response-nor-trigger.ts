/** An operation must have a response, a trigger, or both (specification, What the service does, 8). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const neitherResponseNorTrigger = rule(
  {
    'neither-response-nor-trigger': error((p: { name: string }) => ({
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
