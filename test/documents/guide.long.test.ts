/** The guide and the page about accounts are executed from top to bottom, like a reader would. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Workspace, type Outcome } from '../commands/workspace.js';
import { DevProcess } from '../dev/dev-process.js';
import { indented, readDocument, type CodeBlock } from './code-blocks.js';
import { sendPageRequest } from './page-request.js';

let space: Workspace;
let dev: DevProcess | undefined;
/** The last cookie that a response has set, without its attributes. */
let cookie = '';
/** The key in the link of the last mail. */
let key = '';

beforeEach(() => {
  space = new Workspace();
});
afterEach(async () => {
  await dev?.stop('SIGKILL');
  dev = undefined;
  space.remove();
});

/** The deliberate error in the guide, and the right text. */
const mistake = ['(task_id, author, body)', '(task_id, autor, body)'] as const;

test.each([
  ['docs/guide.md', 13],
  ['docs/accounts.md', 13],
] as const)('%s describes what happens', { timeout: 600_000 }, async (page, least) => {
  const { blocks } = readDocument(page);
  let outcome: Outcome | undefined;
  let played = 0;
  for (const [index, block] of blocks.entries()) {
    const [word, ...others] = block.words;
    const kind = `${block.language} ${word ?? ''}`.trim();
    if (kind === 'sh run') outcome = await run(block, others.includes('wrong'));
    else if (kind === 'sh dev') dev = await startDev();
    else if (block.language === 'http') await ask(block, blocks[index + 1]);
    else if (kind === 'text mail') key = await keyOfMail(block);
    else if (kind === 'text output') expectOutput(block, outcome);
    else if (kind === 'yaml operations')
      await insert(
        'config.yaml',
        /^operations:\n/m,
        block.text,
        /Ready in|keeps running|The new version runs/,
      );
    else if (kind === 'yaml paths')
      await insert('openapi.yaml', /^paths:\n/m, block.text, /Ready in|The new version runs/);
    else if (kind === 'yaml tests')
      space.write('config.test.yaml', space.read('config.test.yaml') + indented(block.text));
    else continue;
    played += 1;
  }
  expect(played).toBeGreaterThanOrEqual(least);
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

/** Waits until `dev` prints the line of a mail that the page shows, and returns the text in place of its `…`. */
async function keyOfMail({ text }: CodeBlock): Promise<string> {
  const [before = ''] = text.trim().split('…');
  const printed = await dev?.until(new RegExp(`${escaped(before)}\\S+\\n`));
  return printed?.trim().slice(before.length) ?? '';
}

/**
 * Sends a request, and compares the response shown below it on the page; `…` matches any string. In the request, it is the cookie that a
 * response has set, or the key of the last mail. A response without JSON is shown with its header fields.
 */
async function ask(request: CodeBlock, shown: CodeBlock | undefined): Promise<void> {
  const text = request.text
    .replace(/^Cookie: .*…$/m, `Cookie: ${cookie}`)
    .replace('"key": "…"', `"key": ${JSON.stringify(key)}`);
  const response = await sendPageRequest(dev?.url ?? '', { ...request, text });
  cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  if (shown?.language === 'text') {
    expect(response.status, `line ${request.line}`).toBe(Number(shown.words[0]));
    const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`.toLowerCase()).join('\n');
    expectOutput({ ...shown, text: shown.text.toLowerCase() }, { status: 0, stdout: fields, stderr: '' });
    return;
  }
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
    const parts = line.split('…').map((part) => escaped(part.trim()));
    expect(printed).toMatch(new RegExp(parts.join('.*')));
  }
}

/** The text as a regular expression. */
function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
