/** Prints values as YAML. */
import { yamlPackage } from './plain/yaml-package.js';

/** Strings that readers of YAML 1.1 would take for something else are in quotes: `"on"`, `"12:30"`, `"1_0"`. */
export function printYaml(value: unknown): string {
  return yamlPackage().stringify(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 100 });
}

/** Prints YAML without breaking long lines, as people write configurations: SQL of several lines is a block. */
export function printYamlLines(value: unknown): string {
  return yamlPackage().stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
