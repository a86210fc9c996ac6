/** docs/reference/trust.md names each command; trust.long.test.ts tests the page's statements. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../compiler/tools/commands/program.js';
import { repository } from '../helpers/service-fixture.js';

test('each command has its line in docs/reference/trust.md', () => {
  const page = readFileSync(join(repository, 'docs/reference/trust.md'), 'utf8');
  const named = new Set(
    page.split('\n').flatMap((line) => {
      const [, first = ''] = line.startsWith('| `') ? line.split('|') : [];
      return [...first.matchAll(/`([a-z]+)`/g)].map(([, name]) => name);
    }),
  );
  const commands = program(() => Promise.resolve()).commands.map((one) => one.name());
  for (const command of [...commands, 'help']) expect([...named]).toContain(command);
});
