/** PARAM of a name that neither the path, the API description nor a reference gives: told only where nothing else can give it. */
import type { Operation } from '../../config/config-model.js';
import { calledNames, walkOperation } from '../../config/walk.js';
import type { Report } from '../../diagnostics/report.js';
import { nearest } from '../../diagnostics/suggest.js';
import type { Param } from '../../expression/ast.js';
import { visit } from '../../expression/visit.js';
import { declaredNames } from '../../openapi/declared.js';
import { matchingEndpoint } from '../../openapi/match.js';
import type { ApiDescription, ApiEndpoint } from '../../openapi/api-model.js';
import type { Rule } from '../rule.js';

export const unknownParameter: Rule = (config, report, description) => {
  if (description === undefined) return;
  // A parameter of a called operation may be any of the caller's.
  const called = calledNames(config.operations);
  for (const operation of config.operations) {
    if (called.has(operation.name.value)) continue;
    const endpoint = operation.endpoint && matchingEndpoint(description, operation.endpoint);
    if (endpoint !== undefined) checkOperation(operation, endpoint, description, report);
  }
};

function checkOperation(
  operation: Operation,
  endpoint: ApiEndpoint,
  description: ApiDescription,
  report: Report,
): void {
  const declared = declaredNames(endpoint, description);
  if (declared === undefined) return;
  const own = operation.endpoint?.parameters ?? [];
  const names = [...new Set([...own, ...declared])];
  for (const param of paramsOf(operation)) {
    const { name } = param;
    if (isKnown(name, endpoint, names)) continue;
    report.add('unknown-parameter', param.place, {
      ...{ name, description: description.source.path.split(/[\\/]/).at(-1) ?? '' },
      ...{ nearest: nearest(name, names), names },
    });
  }
}

function paramsOf(operation: Operation): Param[] {
  const found: Param[] = [];
  walkOperation(operation, (expression) => {
    visit(expression, (node) => {
      // A name inside one that is not declared is an error of its own.
      if (node.kind === 'param' && node.path[0]?.kind !== 'name') found.push(node);
    });
  });
  return found;
}

/** Headers are read in any case; those that HTTP and proxies bring along need no declaration. */
function isKnown(name: string, { parameters }: ApiEndpoint, names: readonly string[]): boolean {
  if (names.includes(name) || commonHeader.test(name)) return true;
  return parameters.some((parameter) => {
    const isSame = parameter.in === 'header' && parameter.name.toLowerCase() === name.toLowerCase();
    // `filter[state]` is a part of `filter`; the properties of an object may stand beside each other in the query.
    return isSame || name.startsWith(`${parameter.name}[`) || parameter.schema?.properties.has(name) === true;
  });
}

const commonHeader =
  /^(?:x-.*|accept(?:-.*)?|authorization|cache-control|content-.*|cookie|date|dnt|etag|expect|forwarded|from|host|if-.*|origin|pragma|prefer|range|referer|sec-.*|te|traceparent|tracestate|user-agent|via)$/i;
