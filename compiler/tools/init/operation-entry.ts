/** An operation as an entry of the section `operations`, in YAML. */
import { printYamlLines } from '../../read/config/yaml/yaml-print.js';

/** Its first line is not indented, the others are by two spaces; without a line break at its end. */
export function operationEntry(name: string, operation: unknown): string {
  return printYamlLines({ [name]: operation })
    .trimEnd()
    .replaceAll('\n', '\n  ')
    .replaceAll(/(?<! ) +$/gm, '');
}

/** The only response of an operation. */
export function onlyResponse(statuscode: number, schema: unknown): Readonly<Record<string, unknown>>[] {
  return [{ name: 'ok', default: true, statuscode, ...(schema === undefined ? {} : { schema }) }];
}
