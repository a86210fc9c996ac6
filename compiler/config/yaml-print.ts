/** Prints values as YAML. */
import { stringify } from 'yaml';

export function printYaml(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 100 });
}
