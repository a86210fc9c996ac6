/** The validators of an API description, generated and loaded like in a service. */
import { Texts } from '../../../runtime/http/texts.js';
import { compileFunction } from 'node:vm';
import { ts } from 'ts-morph';
import { Report } from '../../../compiler/read/diagnostics/report.js';
import { emitApi } from '../../../compiler/generate/emit/service/api-module.js';
import { formatTypeScript } from '../../../compiler/generate/emit/module/format.js';
import { readDescription } from '../../../compiler/read/openapi/read-description.js';
import { planApi } from '../../../compiler/generate/plan/api-plan.js';
import type { Input, RawInput } from '../../../runtime/validate/validate-request.js';
import type { Json } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import * as validators from '../../../runtime/validate/index.js';

/** The inputs of all endpoints by method and path: `POST /a`. */
export async function generatedInputs(description: object): Promise<ReadonlyMap<string, Input>> {
  const report = new Report();
  const source = { path: 'openapi.json', text: JSON.stringify(description) };
  const read = readDescription({ source, read: () => undefined }, report);
  const errors = report.diagnostics.filter(({ severity }) => severity === 'error');
  if (read === undefined || errors.length > 0)
    throw new Error(errors.map(({ message }) => message).join('\n'));
  const operations = read.endpoints.map((described, index) => ({
    name: `${described.method} ${described.path}`,
    described,
    functionName: `operation${index}`,
  }));
  const plan = planApi(read, operations, []);
  if (plan === undefined) return new Map();
  const code = await formatTypeScript(emitApi(plan, 'config.yaml').text);
  const exported = evaluate(code);
  return new Map(plan.inputs.map(({ operation, identifier }) => [operation, exported[identifier] as Input]));
}

function evaluate(code: string): Readonly<Record<string, unknown>> {
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const exported: Record<string, unknown> = {};
  const load = compileFunction(outputText, ['require', 'exports']) as (
    require: () => unknown,
    exports: Record<string, unknown>,
  ) => void;
  load(() => validators, exported);
  return exported;
}

/** The message of the 400; undefined if the request is valid. */
export function errorOf(input: Input | undefined, raw: Partial<RawInput>): string | undefined {
  const nothing = {
    path: () => undefined,
    query: new Texts(),
    header: () => undefined,
    body: undefined,
    form: undefined,
  };
  try {
    input?.read({ ...nothing, ...raw });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400) return error.message;
    throw error;
  }
}

/** An OpenAPI description with an endpoint `POST /<name>` for each schema, which validates the body. */
export function describeBodies(schemas: Readonly<Record<string, unknown>>, version = '3.1.0'): object {
  const paths = Object.keys(schemas).map((name) => [
    `/${name}`,
    {
      post: {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
        },
        responses: { 200: { description: 'ok' } },
      },
    },
  ]);
  return {
    openapi: version,
    info: { title: 't', version: '1' },
    paths: Object.fromEntries(paths) as object,
    components: { schemas },
  };
}

/** Validation errors of the body for a single schema. */
export async function checkBody(
  schema: unknown,
  body: Json,
  models: Readonly<Record<string, unknown>> = {},
  version?: string,
): Promise<string | undefined> {
  const inputs = await generatedInputs(describeBodies({ Body: schema, ...models }, version));
  return errorOf(inputs.get('POST /Body'), { body });
}
