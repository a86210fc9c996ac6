/** The `yaml` package for browser bundles: package.json maps `yaml-package.ts` to this file. */
import * as yaml from 'yaml';

export function yamlPackage(): typeof yaml {
  return yaml;
}
