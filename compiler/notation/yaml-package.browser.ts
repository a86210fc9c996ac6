/** The package `yaml` in a bundle for a browser: package.json names this file in place of `yaml-package.ts`. */
import * as yaml from 'yaml';

export function yamlPackage(): typeof yaml {
  return yaml;
}
