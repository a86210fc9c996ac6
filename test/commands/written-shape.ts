/** The capabilities of the files that `apikiln init` writes for an API description. */
import { asThirdParty, headersOf } from '../../compiler/read/config/config-model.js';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { referencesIn } from '../../runtime/server/environment-reference.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { nodesOf } from '../../compiler/read/config/walk.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { Workspace } from './workspace.js';

export const json = (schema: object) => ({ description: 'OK', content: { 'application/json': { schema } } });

/** The capabilities of a written configuration, as the compiler reads it. */
export interface Shape {
  readonly operations: readonly string[];
  /** Variables used in expressions and in datasource settings. */
  readonly variables: readonly string[];
}

function shapeOf(text: string): Shape {
  const config = readConfig({ path: 'config.yaml', text }, new Report());
  const { operations = [], datasources = [] } = config ?? {};
  const used = operations.flatMap(nodesOf).flatMap((node) => (node.kind === 'variable' ? [node.name] : []));
  const values = datasources.flatMap((datasource) => {
    const { url, user, password } = datasource;
    const { description, oauth2 } = asThirdParty(datasource) ?? {};
    return [
      ...[url, user, password, description, oauth2?.tokenUrl, oauth2?.clientId, oauth2?.clientSecret],
      ...headersOf(datasource).map(({ value }) => value),
    ];
  });
  const references = values.flatMap((value) => referencesIn(value?.value ?? '').map(({ name }) => name));
  return { operations: operations.map(({ name }) => name.value), variables: [...used, ...references].sort() };
}

/** The capabilities of the folder `out` of a workspace, whose configuration must not have errors or triggers. */
export async function checkedShape(space: Workspace): Promise<Shape> {
  const config = space.read('out/config.yaml');
  const checked = await space.run('check', 'out/config.yaml');
  expect(checked.status, checked.stderr).toBe(0);
  const shape = shapeOf(config);
  const { operations } = parse(config) as { operations: object };
  expect(Object.keys(operations)).toEqual(shape.operations);
  expect(shape.operations.filter((name) => !/^[A-Z]+ \//.test(name))).toEqual([]);
  return shape;
}

/** `refused`: the error message if no files were written for the description. */
export async function written(
  description: object,
  ...options: string[]
): Promise<Shape & { refused: string }> {
  const space = new Workspace();
  try {
    space.write('api.json', JSON.stringify(description));
    const { status, stderr } = await space.run('init', 'out', '--from-openapi', 'api.json', ...options);
    const shape = status === 0 ? await checkedShape(space) : { operations: [], variables: [] };
    return { ...shape, refused: status === 0 ? '' : stderr };
  } finally {
    space.remove();
  }
}
