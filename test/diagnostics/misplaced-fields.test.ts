/** A field one level too deep or too high is one error, reported at the field and not also as a missing field at its right position. */
import { isMap, isScalar, isSeq, parseDocument, type Document } from 'yaml';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { contextBelow, isField, type Context } from '../../compiler/read/config/yaml/yaml-contexts.js';
import { everyOf } from '../helpers/runs.js';
import { configurations } from './configurations.js';

type Path = readonly (string | number)[];

interface Resource {
  readonly path: Path;
  readonly context: Context;
  readonly keys: readonly string[];
}

/** Each resource inside an operation, from the outside in. Other resources are grouped by name in the configuration. */
function resourcesIn(document: Document): Resource[] {
  const found: Resource[] = [];
  const walk = (node: unknown, path: Path, context: Context): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) walk(item, [...path, index], context);
    if (!isMap(node)) return;
    const keys = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
    const isResource = context !== undefined && isField(context, '-') === false;
    if (isResource && path[0] === 'operations') found.push({ path, context, keys });
    for (const [index, { value }] of node.items.entries())
      walk(value, [...path, keys[index] ?? ''], contextBelow(context, keys[index] ?? ''));
  };
  walk(document.contents, [], 'configuration');
  return found;
}

function isInside(inner: Path, outer: Path): boolean {
  return inner.length > outer.length && outer.every((part, index) => part === inner[index]);
}

interface Move {
  readonly what: string;
  /** Writes the configuration after the move; called lazily, because most moves are not tried. */
  readonly write: () => string;
}

/** Moves each field to the surrounding resource and to the resources inside, unless they have a field of that name. */
function movesOf(text: string): Move[] {
  const resources = resourcesIn(parseDocument(text));
  const isNext = (inner: Resource, outer: Resource): boolean =>
    isInside(inner.path, outer.path) &&
    !resources.some(({ path }) => isInside(inner.path, path) && isInside(path, outer.path));
  return resources.flatMap((from) =>
    resources
      .filter((to) => isNext(from, to) || isNext(to, from))
      .flatMap((to) =>
        from.keys
          .filter((key) => isField(from.context, key) === true && isField(to.context, key) === false)
          .filter((key) => !isInside([...to.path, ''], [...from.path, key]))
          .map((key) => ({
            what: `${key} of ${from.context} at ${from.path.join('/')} in ${to.context} at ${to.path.join('/')}`,
            write: () => {
              const document = parseDocument(text);
              const value = document.getIn([...from.path, key], true);
              document.deleteIn([...from.path, key]);
              const target = document.getIn(to.path);
              if (isMap(target)) target.add(document.createPair(key, value));
              // Lines keep their length: a line break removed after an SQL comment would extend the comment.
              return document.toString({ lineWidth: 0 });
            },
          })),
      ),
  );
}

/**
 * True consequences: without its `if`, a response may replace another one; without its list, an operation accepts no certain type of
 * credentials; without its description, a tool has none.
 */
const others: ReadonlySet<string> = new Set([
  ...['unknown-answer-field', 'unnamed-authentications', 'tool-without-description'],
]);

const bases = configurations.filter(
  ({ text }) => text.split('\n').length < 400 && !/^ *<<:|[:-] [*&]\w/m.test(text),
);

describe('one error', () => {
  test.each(bases)('$name', { timeout: 600_000 }, ({ text }) => {
    const problems = movesOf(text)
      .filter((_, index) => index % everyOf(48) === 5 % everyOf(48))
      .flatMap(({ what, write }) => {
        const { diagnostics } = checkSource({ config: { path: 'config.yaml', text: write() } });
        const errors = diagnostics.filter(({ severity, code }) => severity === 'error' && !others.has(code));
        if (errors.length === 1) return [];
        // RANDOM is only valid in the schema of a COMPUTE, so its place is a third mistake.
        const isOfRandom = errors.some(({ message }) =>
          message.startsWith("RANDOM is only valid in the 'schema'"),
        );
        if (/^schema of fulfillment/.test(what) && isOfRandom && errors.length === 3) return [];
        // An exception needs either field.
        if (/^constraint of exception/.test(what) && errors.length === 2) return [];
        return [`${what}: ${errors.map(({ message }) => message).join(' ')}`];
      });
    expect(problems).toEqual([]);
  });
});

test('alternatives that are both too far out: only one of them is read where it belongs', () => {
  const text = `
specification: '1.0'
operations:
  'GET /news':
    instructions: [{ query: SELECT 1 AS one }]
    queries: [{ query: SELECT 2 AS one }]
    fulfillments: [{ name: news, type: READ, datasource: db }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: 'VALUE(news, $)' }]
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/db' }
`;
  const { diagnostics } = checkSource({ config: { path: 'config.yaml', text } });
  expect(diagnostics.map(({ code }) => code)).toEqual(['unknown-field', 'unknown-field']);
});
