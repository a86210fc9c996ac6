/** The deepest allowed calls: paths that branch at each level, and cycles. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { audit } from '../../compiler/tools/commands/audit.js';
import { explain } from '../../compiler/tools/commands/explain-command.js';
import { testTerminal } from '../helpers/test-terminal.js';

const levels = 31;

const description = `openapi: 3.1.0
info: { title: A, version: "1" }
paths:
  /start:
    get:
      parameters: [{ name: id, in: query, required: true, schema: { type: integer, maximum: 100 } }]
      responses: { 200: { description: OK } }
`;

const limited =
  'type: READ, datasource: db, instructions: [{ query: "SELECT id FROM t LIMIT :[PARAM(id)]" }]';
const changing =
  'type: UPDATE, datasource: db, instructions: [{ query: "DELETE FROM t WHERE id = :[PARAM(id)]" }]';

function calls(called: string): string {
  return `type: REFERENCE, operationName: ${called}, if: PARAM(id) > INTEGER(0), parameters: { id: PARAM(id) }`;
}

function operation(name: string, ...fulfillments: readonly string[]): string {
  const lines = fulfillments.map((fields, index) => `      - { name: f${index}, ${fields} }\n`).join('');
  return `  ${name}:\n    fulfillments:\n${lines}    responses: [{ name: ok, default: true, statuscode: 200 }]\n`;
}

/** Two operations at each level, each calling both operations of the next level: 2³¹ paths. */
const ladder = [
  operation('GET /start', calls(`a${levels}`), calls(`b${levels}`)),
  ...Array.from({ length: levels }, (_, index) => levels - index).flatMap((level) =>
    ['a', 'b'].map((side) => operation(`${side}${level}`, calls(`a${level - 1}`), calls(`b${level - 1}`))),
  ),
  operation('a0', limited, changing),
  operation('b0', limited, changing),
];

/** The output of commands for a configuration with these operations. */
async function outputOf(
  operations: readonly string[],
  api = description,
): Promise<{ audited: string; explained: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'apikiln-calls-'));
  const config = `specification: "1.0"
datasources:
  db: { type: db, url: "jdbc:postgresql://localhost/shop" }
operations:
${operations.join('')}`;
  await writeFile(join(folder, 'config.yaml'), config);
  await writeFile(join(folder, 'openapi.yaml'), api);
  const texts: string[] = [];
  const terminal = testTerminal(folder, (text) => texts.push(text));
  await audit('config.yaml', { format: 'text', failOn: 'never' }, terminal);
  const audited = texts.splice(0).join('');
  await explain('GET /start', { config: 'config.yaml', format: 'text' }, terminal);
  await rm(folder, { recursive: true });
  return { audited, explained: texts.join('') };
}

test('each operation is asked once, however many paths lead to it', async () => {
  const { audited, explained } = await outputOf(ladder);
  expect(audited).toContain(
    "After a failure in the middle, only a part of the changes of 'GET /start' is made: 'f1'.",
  );
  expect(explained).toContain('a failure after a change that stays: the changes are incomplete');
});

test.each([
  ['all levels', ladder],
  [
    'a cycle of calls',
    [
      operation('first', calls('second'), limited),
      operation('second', calls('first'), limited),
      operation('GET /start', calls('first')),
    ],
  ],
])('the declaration of a parameter passes through %s', async (_, operations) => {
  expect((await outputOf(operations)).audited).not.toContain('unbounded-limit');
  const unbounded = description.replace(', maximum: 100', '');
  expect((await outputOf(operations, unbounded)).audited).toContain('unbounded-limit');
});
