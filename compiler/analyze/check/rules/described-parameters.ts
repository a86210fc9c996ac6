/** Compares parameters and bodies with their declarations in the API description. */
import type { Operation } from '../../../read/config/config-model.js';
import { allFulfillments, nodesOf, referencesOf } from '../../../read/config/walk.js';
import { didYouMean, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { ApiDescription, ApiEndpoint } from '../../../read/openapi/api-model.js';
import { declaredNames } from '../../../read/openapi/declared.js';
import { positionKey, type Span } from '../../../read/source.js';
import { filtersOfQuery, withoutBrackets } from '../../operations/filter-names.js';
import { descriptionRule, rule } from '../rule.js';
import { nodesIn } from '../../../read/expression/visit.js';

/**
 * Reports PARAM with a name that is neither in the path nor in the API description nor passed by a reference, because such a parameter is
 * always null.
 */
export const unknownParameter = descriptionRule(
  {
    'unknown-parameter': warning(
      { name: 'text', description: 'text', nearest: 'suggestion', names: 'text' },
      (p: { name: string; description: string; nearest: string | undefined; names: readonly string[] }) => ({
        message: `Undeclared parameter '${p.name}': ${p.description} does not have it, so it is an unchecked string.`,
        hint:
          didYouMean(p.nearest) ??
          (p.names.length === 0
            ? `Declare '${p.name}' there: it declares no parameters for this operation.`
            : `Declare '${p.name}' there, or read one that it has: ${quotedList(p.names)}.`),
      }),
    ),
  },
  ({ analysis, report }) => {
    const { description, called } = analysis;
    if (description === undefined) return {};
    const unknown = new Map<string, () => void>();
    // Identified by position, because aliases use a fulfillment in several operations.
    const known = new Set<string>();
    return {
      param: ({ name, path, span }, { operation, analyzed: { endpoint } }) => {
        // A called operation can read any parameter of its callers. Undeclared names inside a declared parameter have their own diagnostic.
        if (endpoint === undefined || called.has(operation.name.value) || path[0]?.kind === 'name') return;
        // Covered by `header-or-query`.
        if (analysis.beside.ownHeaders.has(name.toLowerCase())) return;
        const declared = declaredNames(endpoint, description);
        if (declared === undefined) return;
        const names = [...new Set([...(operation.endpoint?.parameters ?? []), ...declared])];
        if (isKnown(name, endpoint, names)) {
          known.add(positionKey(span));
          return;
        }
        if (unknown.has(positionKey(span))) return;
        unknown.set(positionKey(span), () => {
          report('unknown-parameter', span, {
            ...{ name, description: description.source.path.split(/[\\/]/).at(-1) ?? '' },
            ...{ nearest: nearest(name, names), names },
          });
        });
      },
      end: () => {
        for (const [at, reportIt] of unknown) if (!known.has(at)) reportIt();
      },
    };
  },
);

/** Whether the name is declared. Header names are case-insensitive; common HTTP and proxy headers do not need to be declared. */
function isKnown(name: string, { parameters }: ApiEndpoint, names: readonly string[]): boolean {
  if (names.includes(name) || isCommonHeader(name)) return true;
  return parameters.some((parameter) => {
    const isSame = parameter.in === 'header' && parameter.name.toLowerCase() === name.toLowerCase();
    // `filter[state]` is part of `filter`; properties of an object may be separate query parameters.
    return isSame || name.startsWith(`${parameter.name}[`) || parameter.schema?.properties.has(name) === true;
  });
}

/** Whether the header does not need to be declared. */
function isCommonHeader(name: string): boolean {
  return commonHeader.test(name);
}

const commonHeader =
  /^(?:x-.*|accept(?:-.*)?|authorization|cache-control|content-.*|cookie|date|dnt|etag|expect|forwarded|from|host|if-.*|origin|pragma|prefer|range|referer|sec-.*|te|traceparent|tracestate|user-agent|via)$/i;

/** Reports query parameters and bodies that the API description declares but no expression reads. */
export const unreadParameter = descriptionRule(
  {
    'unread-parameter': warning(
      { name: 'text', written: 'text' },
      (p: { name: string; written: string; declared: Span }) => ({
        message: `Parameter '${p.name}' of the API description is never read.`,
        hint: `Read ${p.written}, or remove the parameter from the description.`,
        related: [{ span: p.declared, message: 'declared here' }],
      }),
    ),
    'unread-body': warning({ written: 'text' }, (p: { written: string; declared: Span }) => ({
      message: 'The request body declared in the API description is never read.',
      hint: `Read ${p.written}, or remove the body from the description.`,
      related: [{ span: p.declared, message: 'declared here' }],
    })),
  },
  ({ analysis, report, hasErrors }) => {
    const names = new Map<Operation, string[]>();
    const bodies = new Set<Operation>();
    /** Operations that read the whole query. */
    const wholes = new Set<Operation>();
    return {
      operation: (operation) => {
        names.set(operation, []);
      },
      'query-map': (node, { operation }) => {
        if (!filtersOfQuery(operation).expressions.has(node)) wholes.add(operation);
      },
      param: ({ name }, { operation }) => {
        names.get(operation)?.push(name);
      },
      sent: ({ place, name }, { operation }) => {
        if (place === 'query') names.get(operation)?.push(name);
      },
      body: (_, { operation }) => {
        bodies.add(operation);
      },
      'multipart-file': (_, { operation }) => {
        bodies.add(operation);
      },
      end: () => {
        if (hasErrors()) return;
        for (const { operation, endpoint } of analysis.operations) {
          if (endpoint === undefined) continue;
          const called = [...analysis.withCalled(operation)];
          const read = called.flatMap((one) => names.get(one) ?? []);
          const filtered = new Set(called.flatMap((one) => [...filtersOfQuery(one).names]));
          const isWhole = called.some((one) => wholes.has(one));
          const isA = operation.syntax === 'A';
          const { span } = operation.name;
          for (const { name, in: location, schema, span: declared } of endpoint.parameters) {
            const isRead =
              isWhole ||
              filtered.has(withoutBrackets(name)) ||
              read.some(
                (one) =>
                  one === name ||
                  one.startsWith(`${name}[`) ||
                  // `filter[day]` is a part of the read parameter `filter`.
                  name.startsWith(`${one}[`) ||
                  schema?.properties.has(one) === true,
              );
            if (location === 'query' && !isRead)
              report('unread-parameter', span, {
                name,
                written: isA ? `PARAM(${name})` : `param.${name}`,
                declared,
              });
          }
          const isForm = endpoint.body?.form !== undefined;
          if (endpoint.body !== undefined && !isForm && !called.some((one) => bodies.has(one))) {
            const [field = '<field>'] = endpoint.body.json?.properties.keys() ?? [];
            const written = isA ? `BODY($.${field})` : `body.${field}`;
            report('unread-body', span, { written, declared: endpoint.body.span });
          }
        }
      },
    };
  },
);

/**
 * Reports `PARAM(x-tenant)`, and PARAM of a header set by `src/middleware.ts`: a query parameter of the same name takes precedence over the
 * header.
 */
export const headerOrQuery = rule(
  {
    'header-or-query': warning(
      { written: 'text', name: 'text', header: 'text', query: 'text' },
      (p: { written: string; name: string; header: string; query: string; isOwn: boolean }) => ({
        message: `${p.written} reads the query before the headers: with ?${p.name}=… a client can set it, even if ${p.isOwn ? 'src/middleware.ts sets the header' : 'the header is present'}.`,
        hint: p.isOwn
          ? `Write ${p.header}, which reads only headers; or have src/middleware.ts call setCaller, and read CALLER.`
          : `Write ${p.header} or ${p.query}, each of which reads only one source; or declare the parameter in the API description.`,
        instead: p.header,
        isSuggestion: true,
      }),
    ),
  },
  ({ analysis, report }) => {
    const { description, called, config } = analysis;
    const endpoints = new Map(analysis.operations.map((one) => [one.operation, one.endpoint]));
    const callers = new Map<string, Operation[]>();
    for (const operation of config.operations)
      for (const { operationName } of referencesOf(operation))
        callers.set(operationName.value, [...(callers.get(operationName.value) ?? []), operation]);

    /** Whether requests cannot choose the source of the value, because the path, the API description or the caller determines it. */
    const isGiven = (
      operation: Operation,
      name: string,
      isOwn: boolean,
      seen = new Set<Operation>(),
    ): boolean => {
      if (seen.has(operation)) return true;
      seen.add(operation);
      const path = operation.endpoint?.parameters;
      const isPlaced =
        path === undefined ||
        path.includes(name) ||
        isDeclared(name, isOwn, endpoints.get(operation), description);
      return (
        isPlaced &&
        (callers.get(operation.name.value) ?? []).every(
          (caller) => passes(caller, operation, name) || isGiven(caller, name, isOwn, seen),
        )
      );
    };
    /** Positions of values that are only displayed, in response bodies and messages. */
    let shown = new Set<number>();
    return {
      operation: (operation) => {
        shown = shownParameters(operation);
      },
      param: ({ name, path, span }, { operation, analyzed: { endpoint } }) => {
        if (path.length > 0) return;
        const isOwn = analysis.beside.ownHeaders.has(name.toLowerCase());
        const isMeant = isLikeHeader.test(name) && !isOfClient.test(name) && !shown.has(span.start);
        if (!isOwn && !isMeant) return;
        // Covered by `unknown-parameter`.
        const isTold =
          !isOwn && endpoint !== undefined && !called.has(operation.name.value) && !isCommonHeader(name);
        if (isTold || isGiven(operation, name, isOwn)) return;
        const print = (expression: Expression): string => printExpression(expression, operation.syntax);
        report('header-or-query', span, {
          ...{ written: print({ kind: 'param', name, path, span }), name, isOwn },
          header: print({ kind: 'sent', place: 'header', name, span }),
          query: print({ kind: 'sent', place: 'query', name, span }),
        });
      },
    };
  },
);

/** The positions of parameters that are only displayed, in response bodies and messages. */
function shownParameters(operation: Operation): Set<number> {
  const responses = operation.responses.map((response) => ({ ...response, if: undefined }));
  const messages = allFulfillments(operation.fulfillments)
    .flatMap(({ fulfillment }) => fulfillment.exceptions)
    .flatMap(({ message }) => message.flatMap((part) => (typeof part === 'string' ? [] : nodesIn(part))));
  const shown = [...nodesOf({ ...operation, fulfillments: [], responses }), ...messages];
  return new Set(shown.filter(({ kind }) => kind === 'param').map(({ span }) => span.start));
}

/** Names that look like headers: `x-user`, `tenant-id`. Other names rarely contain hyphens. */
const isLikeHeader = /^[a-z]\w*(?:-\w+)+$/i;

/** Headers that clients send automatically, for which a query parameter is harmless. */
const isOfClient =
  /^(?:accept-.*|cache-control|content-.*|if-.*|sec-.*|user-agent|x-(?:correlation|request|trace)-id|idempotency-key)$/i;

/** `isOwn`: the header is set by middleware, and must be declared as a header. */
function isDeclared(
  name: string,
  isOwn: boolean,
  endpoint: ApiEndpoint | undefined,
  description: ApiDescription | undefined,
): boolean {
  if (endpoint === undefined || description === undefined) return false;
  const isSame = (one: string): boolean => one.toLowerCase() === name.toLowerCase();
  if (isOwn)
    return [...endpoint.parameters, ...(description.credentials ?? [])].some(
      (one) => one.in === 'header' && isSame(one.name),
    );
  return declaredNames(endpoint, description)?.some(isSame) ?? true;
}

/** Whether every reference from the caller to the operation passes a value for the parameter. */
function passes(caller: Operation, { name: { value: called } }: Operation, name: string): boolean {
  return referencesOf(caller).every(
    ({ operationName, parameters }) =>
      operationName.value !== called || parameters.some((one) => one.name.value === name),
  );
}
