/** Checks path parameters, paths into parameters, and PARAM and BODY in operations without a request. */
import type { Operation } from '../../../read/config/config-model.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { Param, Syntax } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { ApiEndpoint } from '../../../read/openapi/api-model.js';
import { declaredNames, declaredSchemas } from '../../../read/openapi/declared.js';
import { pathParameters } from '../../../read/openapi/match.js';
import { branchesOf } from '../../../read/openapi/schema-part.js';
import { partOf, positionKey, type ScalarText } from '../../../read/source.js';
import { absenceRule, descriptionRule, type NodeSite, rule } from '../rule.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports path parameters whose names in the configuration (used by PARAM) and the API description (used by callers) differ. */
export const pathParameterName = descriptionRule(
  {
    'path-parameter-name': error(
      { path: 'text', parameter: 'text', described: 'text' },
      (p: { path: string; parameter: string; described: string; isUndeclared?: boolean }) =>
        p.isUndeclared === true
          ? {
              message: `Path parameter '${p.described}' is not in its path '${p.path}'.`,
              hint: `Write 'name: ${p.parameter}', or '{${p.described}}' in the path.`,
            }
          : {
              message: `Path parameter '${p.parameter}' is '${p.described}' in the API description ('${p.path}').`,
              hint: `Write '{${p.parameter}}' there too, or '{${p.described}}' here and PARAM(${p.described}).`,
            },
    ),
  },
  ({ report }) => ({
    operation: ({ name, endpoint }, { analyzed: { endpoint: match } }) => {
      if (endpoint === undefined || match === undefined) return;
      const described = pathParameters(match.path);
      for (const [index, parameter] of pathParameters(endpoint.path).entries()) {
        const other = described[index] ?? parameter;
        if (other === parameter) continue;
        report('path-parameter-name', partOf(name.span, `{${parameter}}`), {
          path: match.path,
          parameter,
          described: other,
        });
        return;
      }
      const declared = match.parameters.filter((one) => one.in === 'path');
      const undeclared = described.filter((name) => !declared.some((one) => one.name === name));
      const [stray] = declared.filter(({ name }) => !described.includes(name));
      const [parameter] = undeclared;
      // Parameters declared in addition to those of the path are never used.
      if (stray !== undefined && parameter !== undefined)
        report('path-parameter-name', stray.span, {
          path: match.path,
          parameter: nearest(stray.name, undeclared) ?? parameter,
          described: stray.name,
          isUndeclared: true,
        });
    },
  }),
);

/** Reports path parameters that neither the operation nor any called operation reads, and similar names that are read instead. */
export const unreadPathParameter = rule(
  {
    'unread-path-parameter': warning(
      { parameter: 'text', meant: 'suggestion', syntax: words('A', 'B') },
      (p: { parameter: string; meant: string | undefined; syntax: 'A' | 'B' }) => {
        const written = (name: string): string => (p.syntax === 'A' ? `PARAM(${name})` : `param.${name}`);
        return {
          message: `The path parameter '${p.parameter}' is never read.`,
          hint: `Read ${written(p.parameter)}${p.meant === undefined ? '' : ` instead of ${written(p.meant)}`}, or remove it from the path.`,
        };
      },
    ),
    'near-path-parameter': warning(
      { written: 'text', parameter: 'text', instead: 'text' },
      (p: { written: string; parameter: string; instead: string }) => ({
        message: `${p.written} is not in the path, which has '{${p.parameter}}': it is null unless the URL has a query parameter of that name.`,
        hint: `Write ${p.instead}.`,
        instead: p.instead,
        isSuggestion: true,
      }),
    ),
  },
  ({ analysis, report, hasErrors }) => {
    const read = new Map<Operation, Set<string>>();
    const near: { readonly operation: Operation; readonly parameter: string; reportIt: () => void }[] = [];
    return {
      operation: (operation) => {
        read.set(operation, new Set());
      },
      statement: ({ pieces }, { operation }) => {
        // SQL that YAML has cut off has been reported.
        for (const [name = ''] of cutOff(pieces.text).matchAll(/\w+/g)) read.get(operation)?.add(name);
      },
      param: (node, { operation, analyzed: { endpoint } }) => {
        const { name } = node;
        read.get(operation)?.add(name);
        // A caller may pass the value; with an API description, unknown names have another diagnostic.
        const isOpen = endpoint === undefined && !analysis.called.has(operation.name.value);
        const parameter = isOpen ? meantInPath(name, operation) : undefined;
        if (parameter === undefined || node.path.length > 0) return;
        const print = (one: Param): string => printExpression(one, operation.syntax);
        const instead = print({ ...node, name: parameter });
        near.push({
          ...{ operation, parameter },
          reportIt: () => {
            report('near-path-parameter', node.span, { written: print(node), parameter, instead });
          },
        });
      },
      end: () => {
        // An unreadable expression may read the parameter, or a missing operation may be called.
        if (hasErrors()) return;
        for (const operation of analysis.config.operations) {
          const declared = operation.endpoint?.parameters ?? [];
          const all = [...analysis.withCalled(operation)].flatMap((one) => [...(read.get(one) ?? [])]);
          // If the path parameter is not read, the message about it mentions the similar name.
          for (const one of near)
            if (one.operation === operation && all.includes(one.parameter)) one.reportIt();
          const others = all.filter((name) => !declared.includes(name));
          for (const parameter of declared) {
            if (all.includes(parameter)) continue;
            const meant = nearest(parameter, others) ?? others.find((name) => isEnding(name, parameter));
            const { syntax } = operation;
            const span = partOf(operation.name.span, `{${parameter}}`);
            report('unread-path-parameter', span, { parameter, meant, syntax });
          }
        }
      },
    };
  },
);

/** The comment after single-line SQL. */
function cutOff({ span: { source, end } }: ScalarText): string {
  return /^[ \t]+#[^\r\n]*/.exec(source.text.slice(end, end + 500))?.[0] ?? '';
}

/** Whether the name is the last part of the parameter: `id` of `orderId` or `order_id`. */
function isEnding(name: string, parameter: string): boolean {
  return parameter.toLowerCase().endsWith(name.toLowerCase());
}

/**
 * The path parameter that the name probably means: `{id}` of `/orders/{id}` for `orderId`, `order_id` and `ID`; `{orderId}` of
 * `/orders/{orderId}` for `id` and `order_id`.
 */
function meantInPath(name: string, { endpoint, name: { value } }: Operation): string | undefined {
  const declared = endpoint?.parameters ?? [];
  if (declared.includes(name)) return undefined;
  return declared.find((parameter) => {
    const before = value.split(`/{${parameter}}`, 1)[0]?.split('/').at(-1) ?? '';
    const of = plain(before).replace(/s$/, '');
    return (
      plain(name) === plain(parameter) ||
      plain(name) === of + plain(parameter) ||
      of + plain(name) === plain(parameter)
    );
  });
}

/** The name in lower case without separators: `order_Id` → orderid. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/**
 * Reports paths into parameters that are strings. Only objects and lists declared by the API description, and arguments of references, have
 * parts.
 */
export const pathIntoText = absenceRule(
  {
    'path-into-text': error(
      { name: 'text', instead: 'text' },
      (p: { name: string; instead: string | undefined; isDeclared: boolean }) => ({
        message: `The parameter '${p.name}' is a string, which has no fields.`,
        hint: `${p.isDeclared ? `Declare '${p.name}'` : `Write an API description that declares '${p.name}'`} with the type object or array${p.instead === undefined ? '' : `; for a parameter whose name has a dot write ${p.instead}`}.`,
      }),
    ),
  },
  ({ analysis, report }) => ({
    param: (node, { operation, analyzed: { endpoint } }) => {
      if (analysis.called.has(operation.name.value) || mayHaveParts(node, endpoint)) return;
      const { name, path, span } = node;
      const dotted = path.map((step) => (step.kind === 'name' ? `.${step.name}` : '')).join('');
      const other = { kind: 'param', name: name + dotted, path: [], span } as const;
      const instead =
        dotted === '' ? undefined : quotedB(printExpression(other, operation.syntax), other.name);
      report('path-into-text', span, { name, instead, isDeclared: analysis.description !== undefined });
    },
  }),
);

/** The only way in Syntax B to write a name that contains a dot. */
function quotedB(printed: string, name: string): string {
  return printed.startsWith('param') ? `param['${name}']` : printed;
}

/** Whether the parameter may have parts. A parameter that is passed several times is a list, even if declared otherwise. */
function mayHaveParts({ name, path }: Param, endpoint: ApiEndpoint | undefined): boolean {
  if (path.length === 0) return true;
  const schemas = endpoint === undefined ? [] : declaredSchemas(endpoint, name);
  if (schemas.length === 0) return path[0]?.kind !== 'name';
  return schemas
    .flatMap(branchesOf)
    .some(({ types, properties, items }) =>
      types === undefined
        ? properties.size > 0 || items !== undefined
        : types.includes('object') || types.includes('array'),
    );
}

/** Reports BODY in an operation started by GET or HEAD: almost no client sends a body with these. */
export const bodyOfGet = rule(
  {
    'body-of-get': warning({ method: 'word', instead: 'text' }, (p: { method: string; instead: string }) => ({
      message: `This is usually null: few clients send a body with ${p.method}.`,
      hint: `Write ${p.instead} for a value in the URL. For a body use another method, such as POST.`,
    })),
  },
  ({ analysis, report }) => {
    const reported = new Set<string>();
    /** Parts of the file that operations with other methods also use, by aliases. */
    const shared = new Set(
      analysis.config.operations.flatMap(({ endpoint, fulfillments }) =>
        endpoint !== undefined && /^(?:GET|HEAD)$/.test(endpoint.method)
          ? []
          : fulfillments.map(({ name }) => positionKey(name.span)),
      ),
    );
    return {
      body: ({ span, path }, { operation, analyzed }) => {
        const { endpoint, name, fulfillments, syntax } = operation;
        const method = endpoint?.method ?? '';
        if (!/^(?:GET|HEAD)$/.test(method) || analyzed.endpoint?.body !== undefined) return;
        const isShared = fulfillments.some((one) => shared.has(positionKey(one.name.span)));
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

/** How to read a parameter; an example if the whole body was read. */
function readOf(name: string | undefined, syntax: Syntax): string {
  if (name === undefined) return `a parameter, such as ${readOf('id', syntax)},`;
  return syntax === 'A' ? `PARAM(${name})` : `param.${name}`;
}

/** Reports BODY in an operation whose requests are forms: form fields are parameters. */
export const bodyOfForm = rule(
  {
    'body-of-form': warning({ instead: 'text' }, (p: { instead: string }) => ({
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

/** Reports `PARAM(body.state)`: a parameter whose name looks like a path into the request body. */
export const parameterOfBody = rule(
  {
    'parameter-of-body': warning(
      { name: 'text', instead: 'text' },
      (p: { name: string; instead: string }) => ({
        message: `'${p.name}' is read from the path and the query, not from the body: it is null unless the URL has a parameter of that name.`,
        hint: `Write ${p.instead} for the body of the request.`,
        instead: p.instead,
        isSuggestion: true,
      }),
    ),
  },
  ({ analysis, report }) => ({
    param: ({ name, path, span }, { operation, analyzed: { endpoint } }) => {
      if (operation.syntax !== 'A' || path.length > 0 || !/^body(?:\.[A-Za-z_]\w*)+$/.test(name)) return;
      // A caller may pass a parameter with any name.
      if (analysis.called.has(operation.name.value)) return;
      const { description } = analysis;
      const declared =
        description === undefined || endpoint === undefined ? [] : declaredNames(endpoint, description);
      if (declared?.includes(name) === true) return;
      report('parameter-of-body', span, { name, instead: `BODY($${name.slice(4)})` });
    },
  }),
);

/** Reports PARAM and BODY in an operation that is started only by triggers, so that there is no request. */
export const timedParameter = rule(
  {
    'timed-parameter': warning({ what: 'sentence' }, (p: { what: string }) => ({
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
