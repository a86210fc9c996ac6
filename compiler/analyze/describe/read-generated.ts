/** Reads generated API descriptions and schemas, as if they were files next to the configuration. */
import type { Config } from '../../read/config/config-model.js';
import { Report } from '../../read/diagnostics/report.js';
import type { JsonMap } from '../../read/json.js';
import type { ApiDescription } from '../../read/openapi/api-model.js';
import { readDescription } from '../../read/openapi/read-description.js';
import { generateDescription } from './generate.js';
import { noValues, type KnownValues } from './known-values.js';

/** The API description generated from a configuration without errors, as if it were a file next to it. */
export function generatedDescription(config: Config, values: KnownValues = noValues): ApiDescription {
  return readGenerated(generateDescription(config, values));
}

/** Generated schemas by name, parsed like those of a description. */
export function schemasOfModels(schemas: JsonMap): ApiDescription['models'] {
  const info = { title: 'Generated', version: '1' };
  return readGenerated({ openapi: '3.1.0', info, paths: {}, components: { schemas } }).models;
}

function readGenerated(written: JsonMap): ApiDescription {
  const source = { path: 'generated.json', text: JSON.stringify(written) };
  const description = readDescription({ source, read: () => undefined }, new Report());
  if (description === undefined) throw new Error('The generated description cannot be read.');
  return description;
}
