/** The exact output of `apikiln explain` for every operation. UPDATE_FIXTURES=1 rewrites it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explainOperation } from '../../compiler/tools/explain/explain-operation.js';
import type { ExplainedOperation } from '../../compiler/tools/explain/explained.js';
import { printMermaid } from '../../compiler/tools/explain/mermaid.js';
import { listOperations, printOperations } from '../../compiler/tools/explain/operation-list.js';
import { printExplanation } from '../../compiler/tools/explain/print-explanation.js';
import { ServiceView } from '../../compiler/tools/explain/service-view.js';
import { fixtureFolders } from '../helpers/fixture-keys.js';
import { repository } from '../helpers/service-fixture.js';
import { configurationFolder, serviceOf } from '../helpers/service-view.js';

const folder = join(repository, 'fixtures/explain');

const names = fixtureFolders(folder, [
  /^(?:config|openapi)\.yaml$|^schema\.sql$/,
  /^expected\.(?:txt|json|mmd)$/,
]);

describe.each(names)('%s', (name) => {
  const explained = viewOf(name).then((view) => ({
    list: printOperations(listOperations(view)),
    all: view.operations.map((operation) => explainOperation(operation, view)),
  }));

  test('as text', async () => {
    const { list, all } = await explained;
    expectFile(
      name,
      'expected.txt',
      `${[list, ...all.map(printExplanation)].join(`\n\n${'='.repeat(80)}\n\n`)}\n`,
    );
  });

  test('no secret of the configuration is in it', async () => {
    expect(JSON.stringify(await explained)).not.toContain('hunter2');
  });

  test('a flowchart has each text in quotes, with nothing in it that is syntax', async () => {
    const { all } = await explained;
    for (const line of all.flatMap(linesOfChart)) expect(line).toMatch(chartLine);
  });
});

test('as JSON', async () => {
  const view = await viewOf('orders');
  const all = view.operations.map((operation) => explainOperation(operation, view));
  expectFile('orders', 'expected.json', `${JSON.stringify(all, null, 2)}\n`);
});

test('as a flowchart', async () => {
  const view = await viewOf('orders');
  const all = view.operations.map((operation) => explainOperation(operation, view));
  expectFile('orders', 'expected.mmd', all.map(printMermaid).join('\n'));
});

const text = String.raw`"(?:[\p{L}\p{N} .,:$/=()+-]|#\d+;|<br\/>)*"`;
const chartLine = new RegExp(
  String.raw`^(?:flowchart TD|end|n\d+(?:\[${text}\]|\(\[${text}\]\)|\{${text}\}|\[\(${text}\)\]|\[\[${text}\]\])|n\d+ -->(?:\|${text}\|)? n\d+|subgraph loopn\d+ \[${text}\])$`,
  'u',
);

function linesOfChart(explanation: ExplainedOperation): string[] {
  return printMermaid(explanation)
    .trim()
    .split('\n')
    .map((line) => line.trim());
}

async function viewOf(name: string): Promise<ServiceView> {
  return new ServiceView(await serviceOf(configurationFolder('explain', name)));
}

function expectFile(name: string, file: string, actual: string): void {
  const path = join(folder, name, file);
  if (process.env.UPDATE_FIXTURES === '1') writeFileSync(path, actual);
  expect(actual).toBe(readFileSync(path, 'utf8'));
}
