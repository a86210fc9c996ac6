/** Reads the map of a named resource, such as an operation or a datasource. */
import type { Report } from '../diagnostics/report.js';
import { isBroken, isEmpty, type Entry, type MapNode } from './yaml/node.js';

/** The resource's name for the middle of a sentence. */
export function inSentence(resource: string): string {
  return resource.charAt(0).toLowerCase() + resource.slice(1);
}

/** Example fields for the map of a resource, by the first word of its name. */
const firstFields: Readonly<Record<string, string>> = {
  Operation:
    '{ fulfillments: [{ name: news, type: READ, datasource: newsdb, instructions: [{ query: SELECT title FROM news }] }], responses: [{ name: ok, default: true, statuscode: 200 }] }',
  Datasource: '{ type: db, url: jdbc:postgresql://localhost:5432/news }',
  Function: '{ input: [{ type: string }], returns: { type: string } }',
  Authentication: "{ type: basicauth, user: admin, password: '${ADMIN_PASSWORD}' }",
};

/** The map of a resource. Reports any other value. */
export function resourceMap({ key, value }: Entry, resource: string, report: Report): MapNode | undefined {
  if (key.text.value.trim() === '') report.add('empty-name', key.span, { resource });
  if (value.kind === 'map') return value;
  if (isBroken(value)) return undefined;
  report.add('wrong-kind', isEmpty(value) ? key.span : value.span, {
    what: resource,
    expected: 'a map (lines of the form `key: value`)',
    ...(resource.startsWith('Operation') && {
      rewriting: {
        hint: "Write the fields 'fulfillments' and 'responses' below its name.",
        edits: [],
        isSafe: true,
      },
    }),
    example: firstFields[resource.split(' ')[0] ?? ''] ?? 'key: value',
  });
  return undefined;
}
