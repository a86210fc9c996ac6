/** A private HAProxy in front of several servers, which assigns each new connection to the next server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilListening } from './database-server.js';
import { freePort } from './free-port.js';
import { programPaths } from './install.js';
import { startWatched } from './watched-process.js';

const requirement = {
  programs: ['haproxy'],
  debianPackage: 'haproxy',
  missing: 'The tests need HAProxy: install it so that `haproxy` is in PATH, e.g. `apt-get install haproxy`.',
};

export interface LoadBalancer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Balances TCP connections or HTTP requests round-robin over local ports. `settings`: further lines of the section. */
export async function startHaproxy(
  targets: readonly number[],
  mode: 'tcp' | 'http' = 'tcp',
  settings: readonly string[] = [],
): Promise<LoadBalancer> {
  const programs = programPaths(requirement);
  const directory = await mkdtemp(join(tmpdir(), 'apikiln-haproxy-'));
  const port = await freePort();
  const configuration = `
defaults
  mode ${mode}
  timeout connect 2s
  timeout client 60s
  timeout server 60s
listen servers
  bind 127.0.0.1:${port}
  balance roundrobin
${settings.map((line) => `  ${line}\n`).join('')}${targets.map((target, index) => `  server node${index} 127.0.0.1:${target}`).join('\n')}
`;
  const file = join(directory, 'haproxy.cfg');
  await writeFile(file, configuration);
  const running = startWatched([programs.get('haproxy') ?? '', '-db', '-f', file], {
    directory,
    killSignal: 'KILL',
    log: join(directory, 'log'),
  });
  await untilListening(port, running.running);
  return {
    port,
    async stop() {
      await running.end('KILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
