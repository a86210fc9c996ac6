/** A schema of an API description, as the compiler reads it. */
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { ApiSchema } from '../../compiler/read/openapi/api-model.js';
import { readDescription } from '../../compiler/read/openapi/read-description.js';

/** The model is named Made. */
export function schemaOf(written: object): ApiSchema {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Made', version: '1' },
    paths: {},
    components: { schemas: { Made: written } },
  };
  const source = { path: 'openapi.json', text: JSON.stringify(document) };
  const found = readDescription({ source, read: () => undefined }, new Report())?.models.get('Made');
  if (found === undefined) throw new Error('The schema was not read.');
  return found;
}
