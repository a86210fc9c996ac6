/** PARAM and BODY of operations that have no such thing. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Syntax } from '../../../read/expression/ast.js';
import { declaredNames } from '../../../read/openapi/declared.js';
import { type NodeSite, rule } from '../rule.js';

/** BODY in an operation that GET or HEAD starts: hardly a client sends a body with them. */
export const bodyOfGet = rule(
  {
    'body-of-get': warning((p: { method: string; instead: string }) => ({
      message: `This is usually null: few clients send a body with ${p.method}.`,
      hint: `Write ${p.instead} for a value in the URL. For a body use another method, such as POST.`,
    })),
  },
  ({ analysis, report }) => {
    const reported = new Set<string>();
    /** Parts of the file that operations of other methods use too, by an alias. */
    const shared = new Set(
      analysis.config.operations.flatMap(({ endpoint, fulfillments }) =>
        endpoint !== undefined && /^(?:GET|HEAD)$/.test(endpoint.method)
          ? []
          : fulfillments.map(({ name }) => name.span.start),
      ),
    );
    return {
      body: ({ span, path }, { operation, analyzed }) => {
        const { endpoint, name, fulfillments, syntax } = operation;
        const method = endpoint?.method ?? '';
        if (!/^(?:GET|HEAD)$/.test(method) || analyzed.endpoint?.body !== undefined) return;
        const isShared = fulfillments.some((one) => shared.has(one.name.span.start));
        if (isShared || analysis.called.has(name.value) || reported.has(name.value)) return;
        reported.add(name.value);
        const first = path[0]?.kind === 'name' ? path[0].name : undefined;
        report('body-of-get', span, {
          method,
          instead: readOf(first, syntax),
        });
      },
    };
  },
);

/** How a parameter is read; any one where the whole body was. */
function readOf(name: string | undefined, syntax: Syntax): string {
  if (name === undefined) return `a parameter, such as ${readOf('id', syntax)},`;
  return syntax === 'A' ? `PARAM(${name})` : `param.${name}`;
}

/** BODY in an operation whose requests are forms: their fields are parameters. */
export const bodyOfForm = rule(
  {
    'body-of-form': warning((p: { instead: string }) => ({
      message: 'This body is always null: the API description declares a form, whose fields are parameters.',
      hint: `Write ${p.instead} for a field of the form. If clients send JSON, describe the body as application/json.`,
    })),
  },
  ({ analysis, report }) => {
    const reported = new Set<string>();
    return {
      body: ({ span, path }, { operation: { name, syntax }, analyzed }) => {
        const body = analyzed.endpoint?.body;
        if (body?.form === undefined || body.json !== undefined) return;
        if (analysis.called.has(name.value) || reported.has(name.value)) return;
        reported.add(name.value);
        const first = path[0]?.kind === 'name' ? path[0].name : undefined;
        report('body-of-form', span, { instead: readOf(first, syntax) });
      },
    };
  },
);

/** `PARAM(body.state)`: a parameter whose name begins as if it were the body of the request. */
export const parameterOfBody = rule(
  {
    'parameter-of-body': warning((p: { name: string; instead: string }) => ({
      message: `'${p.name}' is read from the path and the query, not from the body: it is null unless the URL has a parameter of that name.`,
      hint: `Write ${p.instead} for the body of the request.`,
      instead: p.instead,
      isSuggestion: true,
    })),
  },
  ({ analysis, report }) => ({
    param: ({ name, path, span }, { operation, analyzed: { endpoint } }) => {
      if (operation.syntax !== 'A' || path.length > 0 || !/^body(?:\.[A-Za-z_]\w*)+$/.test(name)) return;
      // A caller may pass it under any name.
      if (analysis.called.has(operation.name.value)) return;
      const { description } = analysis;
      const declared =
        description === undefined || endpoint === undefined ? [] : declaredNames(endpoint, description);
      if (declared?.includes(name) === true) return;
      report('parameter-of-body', span, { name, instead: `BODY($${name.slice(4)})` });
    },
  }),
);

/** PARAM and BODY in an operation that only its triggers start: there is no request (decisions 10.2). */
export const timedParameter = rule(
  {
    'timed-parameter': warning((p: { what: string }) => ({
      message: `${p.what} is always null here: only a trigger starts this operation.`,
      hint: 'Write the value itself; or name the operation like an endpoint, or call it by reference with this value.',
    })),
  },
  ({ analysis, report }) => {
    let seen = new Set<string>();
    const isTimed = ({ operation }: NodeSite): boolean =>
      operation.triggers.length > 0 &&
      operation.endpoint === undefined &&
      !analysis.called.has(operation.name.value);
    return {
      operation: () => {
        seen = new Set();
      },
      param: ({ name, span }, site) => {
        if (!isTimed(site) || seen.has(name)) return;
        seen.add(name);
        report('timed-parameter', span, { what: `The parameter '${name}'` });
      },
      body: ({ span }, site) => {
        if (!isTimed(site) || seen.has('')) return;
        seen.add('');
        report('timed-parameter', span, { what: 'The body' });
      },
    };
  },
);
