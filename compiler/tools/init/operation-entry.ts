/** An operation as a YAML entry of the section `operations`. */
import { indented, trimmedEnd, type Written } from '../../notation/written.js';
import { yaml, type YamlComment } from '../../notation/yaml-writer.js';

/** Indented below the key `operations`; without a trailing line break. */
export function operationEntry(
  name: string,
  operation: unknown,
  comments: readonly YamlComment[] = [],
): Written<'yaml'> {
  return indented(
    trimmedEnd(
      yaml.lines(
        { [name]: operation },
        comments.map(({ path, text }) => ({ path: [name, ...path], text })),
      ),
    ),
    2,
  );
}

/** The only response of an operation. */
export function onlyResponse(statuscode: number, schema: unknown): Readonly<Record<string, unknown>>[] {
  return [{ name: 'ok', default: true, statuscode, ...(schema === undefined ? {} : { schema }) }];
}
