/** The guide is executed from top to bottom, like a reader would. */
import { afterAll, expect, test } from 'vitest';
import { Workspace, type Outcome } from '../commands/workspace.js';
import { DevProcess } from '../dev/dev-process.js';
import { indented, readDocument, type CodeBlock } from './code-blocks.js';
import { sendPageRequest } from './page-request.js';

const { blocks } = readDocument('docs/guide.md');

const space = new Workspace();
let dev: DevProcess | undefined;

afterAll(async () => {
  await dev?.stop('SIGKILL');
  space.remove();
});

/** The deliberate error in the guide, and the right text. */
const mistake = ['(task_id, author, body)', '(task_id, autor, body)'] as const;

test('every command, change and request does what the page describes', { timeout: 600_000 }, async () => {
  let outcome: Outcome | undefined;
  let played = 0;
  for (const [index, block] of blocks.entries()) {
    const [word, ...others] = block.words;
    const kind = `${block.language} ${word ?? ''}`.trim();
    if (kind === 'sh run') outcome = await run(block, others.includes('wrong'));
    else if (kind === 'sh dev') dev = await startDev();
    else if (block.language === 'http') await ask(block, blocks[index + 1]);
    else if (kind === 'text output') expectOutput(block, outcome);
    else if (kind === 'yaml operations')
      await insert('config.yaml', /^operations:\n/m, block.text, /Ready in|keeps running/);
    else if (kind === 'yaml paths') await insert('openapi.yaml', /^paths:\n/m, block.text, /Ready in/);
    else if (kind === 'yaml tests')
      space.write('config.test.yaml', space.read('config.test.yaml') + indented(block.text));
    else continue;
    played += 1;
  }
  expect(played).toBeGreaterThan(12);
});

/** Runs one command of this tool per line. */
async function run({ text, line }: CodeBlock, isWrong: boolean): Promise<Outcome> {
  const config = isWrong ? space.read('config.yaml') : '';
  if (isWrong) {
    expect(config).toContain(mistake[0]);
    space.write('config.yaml', config.replace(...mistake));
  }
  let outcome: Outcome = { status: 0, stdout: '', stderr: '' };
  for (const command of text.trim().split('\n')) {
    const [npx, tool, ...args] = command.split(' ');
    expect([npx, tool], `line ${line}`).toEqual(['npx', 'apikiln']);
    outcome = await space.run(...args);
    expect(outcome.status, `${command}\n${outcome.stdout}${outcome.stderr}`).toBe(isWrong ? 1 : 0);
  }
  if (isWrong) space.write('config.yaml', config);
  return outcome;
}

async function startDev(): Promise<DevProcess> {
  const started = await DevProcess.start(space);
  await started.until(/The service runs at/);
  return started;
}

async function insert(file: string, heading: RegExp, text: string, until: RegExp): Promise<void> {
  const changed = space.read(file).replace(heading, (line) => line + indented(text));
  await dev?.save(space, file, changed, until);
}

/** Sends a request, and compares the response shown below it in the guide; `…` matches any string. */
async function ask(request: CodeBlock, shown: CodeBlock | undefined): Promise<void> {
  const response = await sendPageRequest(dev?.url ?? '', request);
  const anything = (_: string, value: unknown): unknown =>
    value === '…' ? (expect.any(String) as unknown) : value;
  expect({ status: response.status, body: await response.json() }, `line ${request.line}`).toEqual({
    status: Number(shown?.words[0]),
    body: JSON.parse(shown?.text ?? '', anything) as unknown,
  });
}

function expectOutput({ text }: CodeBlock, outcome: Outcome | undefined): void {
  const printed = `${outcome?.stdout ?? ''}${outcome?.stderr ?? ''}`;
  for (const line of text.trim().split('\n')) {
    const parts = line
      .split('…')
      .map((part) => part.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    expect(printed).toMatch(new RegExp(parts.join('.*')));
  }
}
