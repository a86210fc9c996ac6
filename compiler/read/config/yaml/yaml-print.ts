/** Prints values as YAML. */
import { stringify } from 'yaml';

export function printYaml(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 100 });
}

/** The same with every line as long as it is, as people write configurations: SQL of several lines is a block. */
export function printYamlLines(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
