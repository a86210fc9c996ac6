/** Diagnostics of the API description, and of what does not fit together with it. */
import { error, warning } from './entry.js';

export const openapiEntries = {
  'not-a-description': error((p: { problem: string }) => ({
    message: `This is no API description that can be read: ${p.problem}.`,
    hint: 'An API description is written in OpenAPI 3.0 or 3.1 and begins with a line such as: openapi: 3.1.0',
  })),
  'broken-reference': error((p: { reference: string; problem: string; meant: string | undefined }) => ({
    message: `'${p.reference}' leads nowhere: ${p.problem}.`,
    hint: p.meant === undefined ? undefined : `Did you mean '${p.meant}'?`,
  })),
  'cyclic-reference': error((p: { reference: string }) => ({
    message: `'${p.reference}' leads through references only back to itself, so it stands for nothing.`,
    hint: 'A model may contain itself in a property or in the items of a list.',
  })),
  'remote-reference': error((p: { reference: string }) => ({
    message: `'${p.reference}' leads outside the folder of the API description, and nothing is read from there.`,
    hint: 'Copy the file below the folder of the API description, and refer to it by its path from there.',
  })),
  'parameter-unnamed': error(() => ({
    message:
      "A parameter of the API description needs 'name', and 'in' with one of path, query, header, cookie.",
  })),
  'wrong-pattern': error((p: { problem: string }) => ({
    message: `This pattern is no regular expression: ${p.problem}.`,
    hint: 'Patterns are regular expressions of JavaScript; there is no (?i), \\A, \\Z or possessive quantifier.',
  })),
  'schema-keyword': warning((p: { keyword: string; problem: string }) => ({
    message: `'${p.keyword}' of this schema has no effect: ${p.problem}.`,
  })),
  'unknown-endpoint': error((p: { name: string; description: string; hint: string | undefined }) => ({
    message: `The API description ${p.description} does not have '${p.name}'.`,
    hint: p.hint,
  })),
  'path-parameter-name': error((p: { name: string; path: string; parameter: string; described: string }) => ({
    message: `The parameter '${p.parameter}' of this path is called '${p.described}' in the API description ('${p.path}').`,
    hint: `Use one name in both. PARAM reads the name that stands in the configuration: '${p.name}'.`,
  })),
  'endpoint-without-operation': warning((p: { endpoint: string }) => ({
    message: `No operation of the configuration serves '${p.endpoint}', so it is answered with 404 or 405.`,
  })),
  'endpoints-without-operation': warning((p: { count: number; some: readonly string[] }) => ({
    message: `${p.count} endpoints of the API description have no operation in the configuration: ${p.some.map((one) => `'${one}'`).join(', ')} and ${p.count - p.some.length} more.`,
  })),
  'unknown-parameter': warning(
    (p: { name: string; description: string; nearest: string | undefined; names: readonly string[] }) => ({
      message: `The API description ${p.description} does not declare a parameter '${p.name}' here, so it is read as a text that nothing has checked.`,
      hint:
        p.nearest !== undefined
          ? `Did you mean '${p.nearest}'?`
          : p.names.length === 0
            ? 'It declares none for this operation.'
            : `It declares ${p.names.map((name) => `'${name}'`).join(', ')}.`,
    }),
  ),
};
