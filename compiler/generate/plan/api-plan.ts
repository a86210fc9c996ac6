/** The inputs that the service validates, the models that they use, and the names of both in code. */
import { isIgnoredHeader } from '../../read/openapi/declared.js';
import { formFields, type FormField } from '../../read/openapi/form.js';
import { parameterFormat, type ParameterFormat } from '../../read/openapi/parameter-style.js';
import type {
  ApiDescription,
  ApiEndpoint,
  ApiForm,
  ApiParameter,
  ApiSchema,
  FormType,
} from '../../read/openapi/api-model.js';
import { camelCase, uniqueNames, upperFirst } from './names/identifiers.js';
import { validatorNames } from './names/validator-symbols.js';

export interface ApiPlan {
  /** The description's file name without folders. */
  readonly fileName: string;
  /** Models follow the models that they contain, except in cycles. */
  readonly models: readonly ModelPlan[];
  /** Inputs in configuration order. */
  readonly inputs: readonly InputPlan[];
}

export interface ModelPlan {
  /** The name in the API description. */
  readonly name: string;
  readonly identifier: string;
  readonly schema: ApiSchema;
}

/** Requirements for the requests of one operation. */
export interface InputPlan {
  /** The operation's name in the configuration. */
  readonly operation: string;
  readonly identifier: string;
  /** The declared parameters of each location, in the order of the locations. */
  readonly groups: readonly {
    readonly location: ParameterLocation;
    readonly parameters: readonly ParameterPlan[];
  }[];
  /** The JSON body. */
  readonly body: { readonly schema: ApiSchema; readonly isRequired: boolean } | undefined;
  readonly form: FormPlan | undefined;
}

const parameterLocations = ['path', 'query', 'header'] as const;

export type ParameterLocation = (typeof parameterLocations)[number];

/** A parameter, or a field of a form. */
export interface ParameterPlan {
  readonly name: string;
  /** Undefined if there is no schema or the style is not supported; the parameter is then not checked. */
  readonly schema: ApiSchema | undefined;
  /** How the string is parsed. */
  readonly format: ParameterFormat;
  /** Whether the parameter is required. */
  readonly isRequired: boolean;
  /** Undefined if there is no default. */
  readonly default: unknown;
}

export interface FormPlan {
  /** Accepted content types of the form. */
  readonly types: readonly FormType[];
  readonly fields: readonly ParameterPlan[];
  /** Names of the required files. */
  readonly files: readonly string[];
  /** Whether a request must contain a form. */
  readonly isRequired: boolean;
}

/** An operation with its endpoint in the API description. */
export interface ServedOperation {
  readonly name: string;
  readonly functionName: string;
  /** Undefined if the endpoint is not described. */
  readonly described: ApiEndpoint | undefined;
}

/** Undefined if there is nothing to validate. `datasources` are identifiers that modules import together with inputs. */
export function planApi(
  description: ApiDescription,
  operations: readonly ServedOperation[],
  datasources: readonly string[],
): ApiPlan | undefined {
  const inputs = operations.flatMap(({ name, functionName, described }) =>
    described !== undefined && takesAnything(described) ? [{ name, functionName, described }] : [],
  );
  if (inputs.length === 0) return undefined;
  const models = modelsIn(inputs.flatMap(({ described }) => schemasOf(described)));
  const modelNames = models.map(({ name }) => modelIdentifier(name));
  const inputNames = inputs.map(({ functionName }) => `${functionName}Input`);
  // An input and a model may have the same name, but the texts must be unique.
  const texts = [...models.map(({ name }) => `model ${name}`), ...inputs.map(({ name }) => name)];
  // The router imports inputs and handlers: the input of an operation named `GET /news/input` would also be getNewsInput.
  const taken = [...validatorNames, ...datasources, ...operations.map(({ functionName }) => functionName)];
  const names = uniqueNames([...modelNames, ...inputNames], texts, taken);
  return {
    fileName: description.source.path.split(/[\\/]/).at(-1) ?? '',
    models: models.map((model, index) => ({ ...model, identifier: names[index] ?? '' })),
    inputs: inputs.map(({ name, described }, index) => ({
      operation: name,
      identifier: names[models.length + index] ?? '',
      ...planInput(described),
    })),
  };
}

function planInput({ parameters, body }: ApiEndpoint): Pick<InputPlan, 'groups' | 'body' | 'form'> {
  const groups = parameterLocations.map((location) => {
    const declared = parameters.filter(
      (parameter) => parameter.in === location && !(location === 'header' && isIgnoredHeader(parameter.name)),
    );
    return { location, parameters: declared.map(planParameter) };
  });
  const { json, form, required = false } = body ?? {};
  return {
    groups: groups.filter((group) => group.parameters.length > 0),
    // If the body may also be a form, a body that is not JSON does not count as missing.
    body: json && { schema: json, isRequired: required && form === undefined },
    form: form && planForm(form, required && json === undefined),
  };
}

function planForm(form: ApiForm, isRequired: boolean): FormPlan {
  const all = formFields(form);
  const files = all.filter(
    ({ isFile, required, schema }) => isFile && required && schema.format === 'binary',
  );
  return {
    types: form.types,
    fields: all.filter(({ isFile }) => !isFile).map(planField),
    files: files.map(({ name }) => name),
    isRequired,
  };
}

/** A form field is encoded like a query parameter; objects are JSON. */
function planField({ name, schema, required }: FormField): ParameterPlan {
  const style = schema.types?.includes('object') === true ? 'json' : 'form';
  return planParameter({ name, in: 'query', required, style, explode: true, schema });
}

function planParameter(parameter: Omit<ApiParameter, 'span'>): ParameterPlan {
  const { name, schema, required } = parameter;
  const format = parameterFormat(parameter);
  const standard = schema && defaultOf(schema);
  return {
    name,
    schema: format === undefined ? undefined : schema,
    format: format ?? {},
    isRequired: required && parameter.in !== 'path' && standard === undefined,
    default: standard,
  };
}

function defaultOf(schema: ApiSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  for (const part of schema.allOf) {
    const standard = defaultOf(part);
    if (standard !== undefined) return standard;
  }
  return undefined;
}

/** The name of a model in code, if it is available. */
export function modelIdentifier(model: string): string {
  const name = camelCase(model, 'model');
  return validatorNames.includes(name) ? name + upperFirst('model') : name;
}

function takesAnything({ parameters, body }: ApiEndpoint): boolean {
  return (
    parameters.some((parameter) => parameter.in !== 'cookie') ||
    body?.json !== undefined ||
    body?.form !== undefined
  );
}

function schemasOf({ parameters, body }: ApiEndpoint): ApiSchema[] {
  const schemas = parameters.flatMap((parameter) =>
    parameter.in === 'cookie' ? [] : (parameter.schema ?? []),
  );
  const fields = body?.form === undefined ? [] : formFields(body.form).map(({ schema }) => schema);
  return [...schemas, ...(body?.json === undefined ? [] : [body.json]), ...fields];
}

/** All models that these schemas contain, each after the models that it uses. */
export function modelsIn(schemas: readonly ApiSchema[]): Omit<ModelPlan, 'identifier'>[] {
  const found: Omit<ModelPlan, 'identifier'>[] = [];
  const seen = new Set<ApiSchema>();
  const visit = (schema: ApiSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    for (const part of partsOf(schema)) visit(part);
    if (schema.model !== undefined) found.push({ name: schema.model, schema });
  };
  for (const schema of schemas) visit(schema);
  return found;
}

/** The direct subschemas of a schema, in the order in which code mentions them. */
export function partsOf(schema: ApiSchema): ApiSchema[] {
  const { properties, patternProperties, additionalProperties, prefixItems, items } = schema;
  const parts = [
    ...properties.values(),
    ...(patternProperties?.values() ?? []),
    ...(additionalProperties === false ? [] : [additionalProperties]),
    ...(prefixItems ?? []),
    items,
    ...schema.allOf,
    ...schema.anyOf,
    ...schema.oneOf,
    schema.not,
  ];
  return parts.filter((part) => part !== undefined);
}
