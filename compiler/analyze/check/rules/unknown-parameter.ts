/**
 * PARAM of a name that is neither in the path nor in the API description, and that no reference call passes. Reported only if there is no
 * other source.
 */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { ApiEndpoint } from '../../../read/openapi/api-model.js';
import { declaredNames } from '../../../read/openapi/declared.js';
import { rule } from '../rule.js';

export const unknownParameter = rule(
  {
    'unknown-parameter': warning(
      (p: { name: string; description: string; nearest: string | undefined; names: readonly string[] }) => ({
        message: `Undeclared parameter '${p.name}': ${p.description} does not have it, so it is an unchecked string.`,
        hint:
          p.nearest !== undefined
            ? `Did you mean '${p.nearest}'?`
            : p.names.length === 0
              ? `Declare '${p.name}' there: it declares no parameters for this operation.`
              : `Declare '${p.name}' there, or read one that it has: ${p.names.map((name) => `'${name}'`).join(', ')}.`,
      }),
    ),
  },
  ({ analysis, report }) => {
    const { description, called } = analysis;
    if (description === undefined) return {};
    const unknown = new Map<number, () => void>();
    // By where they are read: aliases use a fulfillment in several operations.
    const known = new Set<number>();
    return {
      param: ({ name, path, span }, { operation, analyzed: { endpoint } }) => {
        // A parameter of a called operation may be any of the caller's; a name inside one that is not declared is an error of its own.
        if (endpoint === undefined || called.has(operation.name.value) || path[0]?.kind === 'name') return;
        const declared = declaredNames(endpoint, description);
        if (declared === undefined) return;
        const names = [...new Set([...(operation.endpoint?.parameters ?? []), ...declared])];
        if (isKnown(name, endpoint, names)) {
          known.add(span.start);
          return;
        }
        if (unknown.has(span.start)) return;
        unknown.set(span.start, () => {
          report('unknown-parameter', span, {
            ...{ name, description: description.source.path.split(/[\\/]/).at(-1) ?? '' },
            ...{ nearest: nearest(name, names), names },
          });
        });
      },
      end: () => {
        for (const [start, reportIt] of unknown) if (!known.has(start)) reportIt();
      },
    };
  },
);

/** Headers are read in any case; those that HTTP and proxies bring along need no declaration. */
function isKnown(name: string, { parameters }: ApiEndpoint, names: readonly string[]): boolean {
  if (names.includes(name) || isCommonHeader(name)) return true;
  return parameters.some((parameter) => {
    const isSame = parameter.in === 'header' && parameter.name.toLowerCase() === name.toLowerCase();
    // `filter[state]` is a part of `filter`; the properties of an object may be separate parameters of the query.
    return isSame || name.startsWith(`${parameter.name}[`) || parameter.schema?.properties.has(name) === true;
  });
}

/** A header that needs no declaration. */
export function isCommonHeader(name: string): boolean {
  return commonHeader.test(name);
}

const commonHeader =
  /^(?:x-.*|accept(?:-.*)?|authorization|cache-control|content-.*|cookie|date|dnt|etag|expect|forwarded|from|host|if-.*|origin|pragma|prefer|range|referer|sec-.*|te|traceparent|tracestate|user-agent|via)$/i;
