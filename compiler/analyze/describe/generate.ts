/** Generates an API description (OpenAPI 3.1) for a configuration without one. It accepts every request that the configuration accepts. */
import type { Config, Endpoint } from '../../read/config/config-model.js';
import { ErrorForms } from './error-forms.js';
import { errorComponents } from './error-responses.js';
import type { JsonMap } from '../../read/json.js';
import { describeOperation } from './generate-operation.js';
import { typeOf } from './generate-schema.js';
import type { KnownValues } from './known-values.js';
import { namedSchemes, securityOf } from './security-scheme.js';
import { pathShape } from '../../read/openapi/match.js';

/** Deterministic: equal configurations and values result in equal descriptions, in configuration order. */
export function generateDescription(config: Config, values: KnownValues): JsonMap {
  const schemes = securitySchemes(config);
  const forms = new ErrorForms(config);
  const { paths, statuses } = describePaths(config, values, schemes, forms);
  const responses = errorComponents(forms, (status) => statuses.has(status));
  const fileName = config.source.path.split(/[\\/]/).at(-1) ?? '';
  return {
    openapi: '3.1.0',
    info: { title: `API of ${fileName}`, version: '1.0.0' },
    // A relative URL refers to the service itself, wherever it runs.
    servers: [{ url: config.settings.basePath === '' ? '/' : config.settings.basePath }],
    // An empty list if everything is open, because linters require `security`.
    security: securityOf({ authentications: undefined }, config, schemes),
    paths,
    components: {
      schemas: { ...mappedModels(config, values), ...forms.schemas },
      responses,
      ...(schemes.size === 0
        ? {}
        : {
            securitySchemes: Object.fromEntries(
              config.authentications.flatMap((one) =>
                namedSchemes(schemes.get(one.name.value) ?? one.name.value, one),
              ),
            ),
          }),
    },
  };
}

/** The mapped models with their mapped fields. It depends on the author in which responses they occur. */
function mappedModels({ operations }: Config, values: KnownValues): JsonMap {
  const models = new Map<string, Map<string, unknown>>();
  const all = operations.flatMap((operation) =>
    operation.mappings.map((mapping) => ({ operation, mapping })),
  );
  for (const { operation, mapping } of all) {
    const { model, fields } = mapping;
    const properties = models.get(model.value) ?? new Map<string, unknown>();
    for (const { field, value } of fields) {
      const type = value === undefined ? {} : typeOf(value, values.mapped(operation, value));
      const known = properties.get(field.value) ?? type;
      // Operations may map the field from values of different types.
      properties.set(field.value, JSON.stringify(known) === JSON.stringify(type) ? type : {});
    }
    models.set(model.value, properties);
  }
  return Object.fromEntries(
    [...models].map(([name, properties]) => [
      name,
      { type: 'object', properties: Object.fromEntries(properties) },
    ]),
  );
}

function describePaths(
  config: Config,
  values: KnownValues,
  schemes: ReadonlyMap<string, string>,
  forms: ErrorForms,
): { paths: JsonMap; statuses: ReadonlySet<number> } {
  const paths = new Map<string, { readonly path: string; readonly methods: Map<string, JsonMap> }>();
  const ids = new Set<string>();
  const statuses = new Set<number>();
  for (const operation of config.operations) {
    const { endpoint } = operation;
    if (endpoint === undefined) continue;
    // Paths that differ only in parameter names are the same path.
    const shape = pathShape(endpoint.path);
    const item = paths.get(shape) ?? { path: endpoint.path, methods: new Map<string, JsonMap>() };
    paths.set(shape, item);
    const described = describeOperation(operation, config, values, {
      id: freeId(endpoint, ids),
      path: item.path,
      security: operation.authentications && securityOf(operation, config, schemes),
      forms,
    });
    for (const status of described.errors) statuses.add(status);
    item.methods.set(endpoint.method.toLowerCase(), described.operation);
  }
  const entries = [...paths.values()].map(({ path, methods }) => [path, Object.fromEntries(methods)]);
  return { paths: Object.fromEntries(entries) as JsonMap, statuses };
}

/** The name of an endpoint: `GET /news/{id}` → getNewsById. */
export function spokenId({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  const spoken = path.replaceAll(/\{([^{}]*)\}/g, ' by $1 ');
  const words = spoken.match(/[A-Za-z0-9]+/g) ?? ['root'];
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** An unused operation id. */
function freeId(endpoint: Endpoint, ids: Set<string>): string {
  const wished = spokenId(endpoint);
  let id = wished;
  for (let count = 2; ids.has(id); count += 1) id = `${wished}${count}`;
  ids.add(id);
  return id;
}

/** The names of authentications in a form that OpenAPI allows. */
function securitySchemes({ authentications }: Config): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const authentication of authentications) {
    const wished = authentication.name.value.replaceAll(/[^A-Za-z0-9._-]/g, '_');
    const all = (name: string): string[] => namedSchemes(name, authentication).map(([one]) => one);
    let free = wished;
    for (let count = 2; all(free).some((one) => taken.has(one)); count += 1) free = `${wished}_${count}`;
    for (const one of all(free)) taken.add(one);
    names.set(authentication.name.value, free);
  }
  return names;
}
