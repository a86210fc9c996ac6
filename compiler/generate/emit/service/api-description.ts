/** src/api-description.ts: the API description that the test page shows, as the JSON text that is served. */
import { templateText } from '../../../notation/typescript-writer.js';
import { Module } from '../module/module.js';

export function emitApiDescription(description: string, configName: string): Module {
  const module = new Module('src/api-description.ts', configName);
  module.add(
    `/** The API description: GET /v3/api-docs */\nexport const apiDescription = \`${templateText(description)}\`;`,
  );
  return module;
}
