/** Checks endpoints: duplicates, and differences from the API description. */
import type { Endpoint, Operation } from '../../../read/config/config-model.js';
import { isWrittenEndpoint } from '../../../read/config/operation-name.js';
import { error, firstDefinedAt, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { ApiDescription, ApiEndpoint } from '../../../read/openapi/api-model.js';
import { encodedPath, pathShape } from '../../../read/openapi/match.js';
import { lineBeside, partOf, positionKey, type Span } from '../../../read/source.js';
import { changesRows } from '../../../read/sql/facts/verb.js';
import type { Analysis } from '../../operations/analysis.js';
import { descriptionRuleOfWhole, rule, ruleOfWhole } from '../rule.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { isStatement } from '../../../read/config/walk.js';

/** Reports operations with the same method and the same path shape. */
export const duplicateEndpoint = ruleOfWhole(
  {
    'duplicate-endpoint': error(
      { name: 'text', other: 'text', line: 'text' },
      (p: { name: string; other: string; line: string; first: Span }) => ({
        message: `'${p.name}' and '${p.other}' (${p.line}) are the same endpoint.`,
        hint: 'Remove one of the two. The names of path parameters do not matter.',
        related: firstDefinedAt(p.first),
      }),
    ),
  },
  ({ report }) => {
    const seen = new Map<string, Operation>();
    return {
      operation: (operation) => {
        const { name, endpoint } = operation;
        if (endpoint === undefined || !isWrittenEndpoint(name.value, endpoint)) return;
        const { method, path } = endpoint;
        const shape = `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
        const other = seen.get(shape);
        if (other === undefined) {
          seen.set(shape, operation);
          return;
        }
        // A duplicate key in a map has already been reported.
        if (name.value === other.name.value) return;
        const line = lineBeside(other.name.span, name.span.source);
        report('duplicate-endpoint', name.span, {
          ...{ name: name.value, other: other.name.value, line },
          first: other.name.span,
        });
      },
    };
  },
);

/** Reports endpoints that differ only in a trailing slash or in letter case, of which one is probably an error. */
export const nearDuplicateEndpoint = ruleOfWhole(
  {
    'near-duplicate-endpoint': warning(
      { name: 'text', line: 'text', by: 'text' },
      (p: { name: string; line: string; by: string; first: Span }) => ({
        message: `This path differs from '${p.name}' (${p.line}) only by ${p.by}.`,
        hint: 'Remove one of the two. To serve both, write the second operation as an alias (&name, *name) of the first.',
        related: firstDefinedAt(p.first),
      }),
    ),
  },
  ({ analysis, report }) => {
    const seen = new Map<string, Operation[]>();
    return {
      operation: (operation, { analyzed }) => {
        const { endpoint, name } = operation;
        // If the API description contains the same difference, it is intended.
        if (endpoint === undefined || (analysis.description && analyzed.endpoint)) return;
        const { method, path } = endpoint;
        const shape = `${method} ${shapeOf(path).toLowerCase().replace(/\/$/, '')}`;
        const others = seen.get(shape) ?? [];
        const other = others.find(
          (one) => shapeOf(one.endpoint?.path ?? '') !== shapeOf(path) && !isSameText(one, operation),
        );
        seen.set(shape, [...others, operation]);
        if (other === undefined) return;
        const isSlash = path.endsWith('/') !== other.endpoint?.path.endsWith('/');
        report('near-duplicate-endpoint', name.span, {
          ...{ name: other.name.value, line: lineBeside(other.name.span, name.span.source) },
          by: isSlash ? "the '/' at the end" : 'letter case',
          first: other.name.span,
        });
      },
    };
  },
);

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}');
}

/** Whether both operations are the same part of the file, because of an alias. */
function isSameText(one: Operation, other: Operation): boolean {
  const [first] = one.fulfillments;
  const [second] = other.fulfillments;
  return (
    first !== undefined &&
    second !== undefined &&
    positionKey(first.name.span) === positionKey(second.name.span)
  );
}

/** Reports operations on one of the service's own endpoints, `/docs-ui` and `/v3/api-docs`. */
export const reservedPath = rule(
  {
    'reserved-path': error({ path: 'text' }, (p: { path: string }) => ({
      message: `The path '${p.path}' is reserved for the test page.`,
      hint: 'Choose a path outside /docs-ui and /v3/api-docs.',
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint }) => {
      if (endpoint !== undefined && isWrittenEndpoint(name.value, endpoint) && reserved.test(endpoint.path))
        report('reserved-path', partOf(name.span, endpoint.path), { path: endpoint.path });
    },
  }),
);

const reserved = /^\/(?:docs-ui|v3\/api-docs)(?:[/.]|$)/;

/** Reports operations whose endpoint is not in the API description. */
export const unknownEndpoint = descriptionRuleOfWhole(
  {
    'unknown-endpoint': error(
      { name: 'text', description: 'text', hint: 'sentence' },
      (p: { name: string; description: string; hint: string | undefined }) => ({
        message: `The API description ${p.description} does not have '${p.name}'.`,
        hint: p.hint,
      }),
    ),
  },
  ({ analysis, report }) => {
    /** Endpoints already served by operations. */
    let served: Set<string> | undefined;
    return {
      operation: ({ name, endpoint }, { analyzed }) => {
        const { description } = analysis;
        if (description === undefined || endpoint === undefined || analyzed.endpoint !== undefined) return;
        if (!isWrittenEndpoint(name.value, endpoint)) return;
        const shape = pathShape(endpoint.path);
        if (description.unreadPaths.some((path) => pathShape(path) === shape)) return;
        served ??= new Set(
          analysis.config.operations.flatMap((other) =>
            other.endpoint === undefined
              ? []
              : [`${other.endpoint.method} ${pathShape(other.endpoint.path)}`],
          ),
        );
        report('unknown-endpoint', name.span, {
          name: name.value,
          description: description.source.path.split(/[\\/]/).at(-1) ?? '',
          hint: hintFor(endpoint, description, served),
        });
      },
    };
  },
);

function hintFor(
  { method, path }: Endpoint,
  { endpoints }: ApiDescription,
  served: ReadonlySet<string>,
): string {
  const free = endpoints.filter((endpoint) => !served.has(`${endpoint.method} ${pathShape(endpoint.path)}`));
  const written = free.map(nameOf);
  const isSamePath = (endpoint: { readonly path: string }): boolean =>
    pathShape(endpoint.path) === pathShape(path);
  if (endpoints.some(isSamePath)) {
    const other = free.find(isSamePath);
    return `${other === undefined ? 'Add' : `Write '${nameOf(other)}', or add`} ${method} to this path of the description.`;
  }
  const near = nearest(`${method} ${path}`, written) ?? withoutSlash(`${method} ${path}`, written);
  if (near !== undefined) return `Did you mean '${near}'?`;
  const other =
    written.length === 0 ? '' : `, or write an endpoint that it has, such as '${written[0] ?? ''}'`;
  return `Add '${method} ${path}' to the description${other}. 'apikiln openapi' prints a first version of it.`;
}

/** The described name that differs only in a trailing slash: `/news/` and `/news` are different paths. */
function withoutSlash(name: string, written: readonly string[]): string | undefined {
  return written.find((other) => other.replace(/\/$/, '') === name.replace(/\/$/, ''));
}

/** Reports endpoints of the API description that no operation serves, as a single diagnostic if there are many. */
export const endpointWithoutOperation = descriptionRuleOfWhole(
  {
    'endpoint-without-operation': warning({ endpoint: 'text' }, (p: { endpoint: string }) => ({
      message: `No operation serves '${p.endpoint}' of the API description.`,
      hint: `Add an operation '${p.endpoint}', or remove the endpoint from the description.`,
    })),
    'endpoints-without-operation': warning(
      { some: 'text' },
      (p: { count: number; some: readonly string[] }) => ({
        message: `No operation serves ${p.count} endpoints of the API description: ${quotedList(p.some)} and ${p.count - p.some.length} more.`,
        hint: `Add operations such as '${p.some[0] ?? ''}', or remove the endpoints from the description.`,
      }),
    ),
  },
  ({ analysis, report }) => ({
    end: () => {
      const unserved = unservedEndpoints(analysis);
      const [first] = unserved;
      if (first !== undefined && unserved.length > maxReported) {
        const some = unserved.slice(0, 3).map(nameOf);
        report('endpoints-without-operation', first.span, { count: unserved.length, some });
        return;
      }
      for (const endpoint of unserved)
        report('endpoint-without-operation', endpoint.span, { endpoint: nameOf(endpoint) });
    },
  }),
);

/** Maximum number of endpoints to report individually. */
const maxReported = 10;

function unservedEndpoints({ config, operations, description }: Analysis): ApiEndpoint[] {
  const served = new Set(operations.flatMap(({ endpoint }) => (endpoint ? nameOf(endpoint) : [])));
  // GET endpoints also respond to HEAD.
  const respondsToHead = (path: string): boolean =>
    config.operations.some(
      ({ endpoint }) => endpoint?.method === 'GET' && pathShape(endpoint.path) === pathShape(path),
    );
  return (description?.endpoints ?? []).filter(
    (endpoint) =>
      !served.has(nameOf(endpoint)) && !(endpoint.method === 'HEAD' && respondsToHead(endpoint.path)),
  );
}

/** The name of an operation that would serve the endpoint. */
function nameOf({ method, path }: ApiEndpoint): string {
  return `${method} ${encodedPath(path)}`;
}

/** Reports GET endpoints that only change data (RFC 9110, 9.2.1). An endpoint that also reads data may just count or log its calls. */
export const getChangesData = rule(
  {
    'get-changes-data': warning(
      { method: 'word', fulfillment: 'text' },
      (p: { method: string; fulfillment: string }) => ({
        message: `A ${p.method} that changes data ('${p.fulfillment}'): caches and crawlers repeat it.`,
        hint: `Write POST, PUT or DELETE instead of ${p.method}.`,
      }),
    ),
  },
  ({ analysis, report, hasErrors }) => ({
    end: () => {
      if (hasErrors()) return;
      const numbers = new Map(analysis.operations.map(({ operation }, number) => [operation, number]));
      for (const operation of analysis.config.operations) {
        const method = operation.endpoint?.method;
        if (method !== 'GET' && method !== 'HEAD') continue;
        const called = analysis.withCalled(operation);
        const all = [...called]
          .flatMap((one) => numbers.get(one) ?? [])
          .sort((one, other) => one - other)
          .flatMap((number) => analysis.operations[number]?.fulfillments ?? [])
          .flatMap(({ fulfillment }) => ('datasource' in fulfillment ? [fulfillment] : []));
        const [first] = all;
        const isAllChanges = all.every(
          ({ type, instructions }) =>
            type === 'UPDATE' &&
            instructions.every(({ action }) => isStatement(action) && changesRows(action.verb)),
        );
        if (first !== undefined && isAllChanges)
          report(
            'get-changes-data',
            partOf(operation.name.span, operation.name.value.split(/\s/)[0] ?? method),
            { method, fulfillment: first.name.value },
          );
      }
    },
  }),
);
