/** The time until the language server reports diagnostics after a one-line change among 1,000 operations. */
import { dirname, join } from 'node:path';
import { LanguageClient } from '../../editor/language-client.js';
import type { Bench, Job } from '../bench.js';
import { manyOperations } from '../configs/many.js';
import { heldTo } from '../cores.js';
import { atMost, type Row } from '../row.js';
import { apikiln } from '../workshop.js';

export const editor: Job = { name: 'editor', run };

async function run(bench: Bench): Promise<Row[]> {
  await bench.workshop.compiler();
  return [
    {
      job: 'editor',
      goal: 'Diagnostics of the language server after a change of one line among 1,000 operations',
      target: atMost(0.1, 's'),
      figures: await changes(bench, bench.quick ? 5 : 25),
      parts: [],
    },
  ];
}

/** Seconds from a keystroke to the diagnostics of that version; a name is alternately unknown and known. */
async function changes({ workshop, cores }: Bench, times: number): Promise<number[]> {
  const text = manyOperations(1000);
  const path = join(dirname(workshop.writeConfig('editor', text)), 'config.yaml');
  const client = new LanguageClient(heldTo(cores.all, [process.execPath, apikiln, 'lsp']));
  const kill = () => {
    client.kill();
  };
  process.on('exit', kill);
  try {
    await client.start();
    const uri = await client.open(path, text);
    await client.diagnostics(uri);
    const line = text.split('\n').findIndex((one) => one.includes('VALUE(news, $.title)'));
    const character = text.split('\n')[line]?.indexOf('news') ?? 0;
    const seconds: number[] = [];
    // The first changes are not measured, because they fill caches.
    for (let time = -4; time < times; time++) {
      const start = { line, character: character + 'news'.length };
      const isTyped = time % 2 === 0;
      const end = { line, character: start.character + (isTyped ? 0 : 1) };
      const begin = performance.now();
      const version = await client.change(uri, isTyped ? 'x' : '', { start, end });
      const found = await client.diagnostics(uri, version);
      const passed = (performance.now() - begin) / 1000;
      const isReported = JSON.stringify(found).includes('newsx');
      if (isReported !== isTyped) throw new Error(`The diagnostics are wrong: ${JSON.stringify(found)}`);
      if (time >= 0) seconds.push(passed);
    }
    return seconds;
  } finally {
    kill();
    process.off('exit', kill);
  }
}
