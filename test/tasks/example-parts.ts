/** The third parties of an example, as its `config.stubs.yaml` plays them. */
import { readFileSync } from 'node:fs';
import { DevStubs } from '../../compiler/tools/commands/dev/dev-stubs.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { repository } from '../helpers/service-fixture.js';

/** Starts those that there are. `settings` are the environment of a service that calls them. */
export async function startStubs(
  path: string,
  environment: Readonly<Record<string, string>>,
  print: (line: string) => void,
): Promise<{ readonly settings: Readonly<Record<string, string>>; stop(): Promise<void> }> {
  const config = readConfig({ path, text: readFileSync(path, 'utf8') }, new Report());
  const played = new DevStubs(print, () => undefined);
  const { settings } = await played.prepare(config?.datasources ?? [], {
    config: path,
    folder: repository,
    environment,
    note: () => undefined,
    record: false,
  });
  return { settings, stop: () => played.stop() };
}
