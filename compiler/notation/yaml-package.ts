/** Loads the `yaml` package on first use: it has 70 modules, and most configurations are read without it. */
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

const load = createRequire(import.meta.url);

export function yamlPackage(): typeof Yaml {
  return load('yaml') as typeof Yaml;
}
