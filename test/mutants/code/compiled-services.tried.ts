/** The output of the service fixtures for mutants of the compiler: compared as in test/fixtures, but compiled within the test. */
import { describe, expect, test } from 'vitest';
import { compileFixture } from '../../helpers/compiled-fixtures.js';
import { expectCommitted } from '../../helpers/expected-output.js';
import { serviceFixtures } from '../../helpers/service-fixture.js';

const fixtures = serviceFixtures().map((fixture) => ({ id: `${fixture.name}-${fixture.database}`, fixture }));

describe('fixtures of services', () => {
  test.each(fixtures)('$id', async ({ fixture }) => {
    const { diagnostics, files = [] } = await compileFixture(fixture);
    expect(diagnostics.map(({ code }) => code)).toEqual(fixture.warnings);
    expectCommitted(fixture, files);
  });
});
