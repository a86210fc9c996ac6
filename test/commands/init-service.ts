/** Compiles services written by `apikiln init`, and runs them on a real server. */
import { basename, join } from 'node:path';
import {
  removeServeFolder,
  writeServeFolder,
} from '../../compiler/tools/commands/shared/folder/serve-folder.js';
import { readAssets } from '../../compiler/generate/assets.js';
import { compile } from '../../compiler/compile.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { RunningService } from '../helpers/running-service.js';
import { descriptionIn, repository } from '../helpers/service-fixture.js';
import type { Workspace } from './workspace.js';

export interface HttpResponse {
  readonly status: number;
  readonly body: unknown;
}

export interface InitService {
  /** `request` is a method and a target. */
  ask(request: string, body?: unknown): Promise<HttpResponse>;
  readonly printed: () => string;
  stop(): Promise<void>;
}

/** Runs the service in the folder; every datasource uses the database. Requests send the key from `.env`. */
export async function runInitService(
  space: Workspace,
  folder: string,
  server: AttachedServer,
  database: string,
): Promise<InitService> {
  const config = { path: 'config.yaml', text: space.read(join(folder, 'config.yaml')) };
  const description = descriptionIn(space.path(folder));
  const { files, diagnostics } = await compile(
    { config, ...(description && { description }) },
    readAssets(repository),
  );
  if (files === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const built = await writeServeFolder(files, repository);
  const [, name = ''] = /^ {2}(\w+):\n {4}type: db/m.exec(config.text) ?? [];
  const key = space.exists(join(folder, '.env'))
    ? /^API_KEY=(.*)$/m.exec(space.read(join(folder, '.env')))?.[1]
    : undefined;
  const upper = name.replaceAll(/([a-z])(?=[A-Z])/g, '$1_').toUpperCase();
  const service = await RunningService.start(built, {
    [`DATASOURCE_${upper}_URL`]: server.jdbcUrl(database),
    [`DATASOURCE_${upper}_USER`]: server.user,
    [`DATASOURCE_${upper}_PASSWORD`]: server.password,
    ...(key !== undefined && { API_KEY: key }),
  });
  return {
    ask: async (request, body) => {
      const [method = '', target = ''] = request.split(' ');
      const response = await fetch(`${service.url}${target}`, {
        method,
        headers: {
          ...(key !== undefined && { 'x-api-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    },
    printed: () => `${basename(built)}\n${service.printed}`,
    stop: async () => {
      await service.stop();
      removeServeFolder(built);
    },
  };
}
