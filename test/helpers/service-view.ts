/** A configuration in a folder, with the schema and the API description next to it, for tools that explain, compare or audit it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findDescription, findThirdParty } from '../../compiler/tools/commands/shared/files/description.js';
import { findIncluded } from '../../compiler/tools/commands/shared/files/find-included.js';
import { schemasOf } from '../../compiler/tools/commands/shared/files/find-schemas.js';
import { readText } from '../../compiler/tools/commands/shared/files/read-text.js';
import type { CheckedService } from '../../compiler/analyze/check/checked.js';
import type { Severities } from '../../compiler/read/diagnostics/diagnostic.js';
import { checkWithDatabases } from '../../compiler/compile.js';
import { repository } from './service-fixture.js';

/** `fixtures/<folder>/<name>` if it has a configuration, otherwise the service fixture of that name. */
export function configurationFolder(folder: string, name: string): string {
  const own = join(repository, 'fixtures', folder, name);
  return existsSync(join(own, 'config.yaml')) ? own : join(repository, 'fixtures/services', name);
}

/** Throws the errors of the configuration. */
export async function serviceOf(folder: string, severities?: Severities): Promise<CheckedService> {
  const path = join(folder, 'config.yaml');
  const place = { config: path, folder };
  const description = findDescription(undefined, place);
  const { service, diagnostics } = await checkWithDatabases(
    {
      config: { path: 'config.yaml', text: readText(path, 'config.yaml') },
      ...(description && { description }),
      thirdParty: findThirdParty(place),
      include: findIncluded(place),
      severities,
    },
    schemasOf({}, place),
  );
  if (service === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return service;
}
