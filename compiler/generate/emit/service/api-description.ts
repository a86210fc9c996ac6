/** src/api-description.ts: the API description shown on the test page, as the JSON text that is served. */
import { constant, doc, exported, name, template } from '../../code/code.js';
import { Module } from '../module/module.js';

export function emitApiDescription(description: string, configName: string): Module {
  const module = new Module('src/api-description.ts', configName);
  module.add(
    doc('The API description: GET /v3/api-docs'),
    exported(constant(name('apiDescription'), template([description]))),
  );
  return module;
}
