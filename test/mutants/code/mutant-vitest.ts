/** Runs Vitest on mutated code: one process, with the sampled mutants inserted into the sources as they are loaded. */
import './switches.js';
import { join, relative } from 'node:path';
import { BaseSequencer, createVitest, type TestSpecification, type Vitest } from 'vitest/node';
import { repository } from '../../helpers/service-fixture.js';
import type { Mutant } from './sample.js';
import { switchedText } from './switched-text.js';

/** Keeps the order of the area: a mutant found by a fast test is not tried in slow ones. */
class InOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files);
  }
}

export function mutantVitest(mutants: readonly Mutant[]): Promise<Vitest> {
  return createVitest(
    'test',
    { config: join(repository, 'vitest.config.ts'), root: repository, watch: false, reporters: [{}] },
    {
      plugins: [
        {
          name: 'mutants',
          enforce: 'pre',
          transform(text, id) {
            const path = relative(repository, id.replace(/\?.*$/, ''));
            const own = mutants.filter((mutant) => mutant.path === path);
            return own.length === 0 ? undefined : { code: switchedText(path, text, own), map: null };
          },
        },
      ],
      test: {
        runner: join(repository, 'test/mutants/code/mutant-runner.ts'),
        maxWorkers: 1,
        sequence: { sequencer: InOrder },
        testTimeout: 120_000,
        hookTimeout: 120_000,
      },
    },
  );
}
