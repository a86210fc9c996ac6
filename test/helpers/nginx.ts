/** A private nginx in front of several instances of a service, in a common configuration: keep-alive connections on both sides. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilListening } from './database-server.js';
import { freePort } from './free-port.js';
import { programPaths } from './install.js';
import { startWatched } from './watched-process.js';

const requirement = {
  programs: ['nginx'],
  debianPackage: 'nginx-light',
  missing: 'The tests need nginx: install it so that `nginx` is in PATH, e.g. `apt-get install nginx-light`.',
};

export interface ReverseProxy {
  readonly url: string;
  /** The contents of the error log, for example the cause of a 502. */
  errors(): Promise<string>;
  stop(): Promise<void>;
}

/** Keep-alive connections to the instances. */
const kept = ['proxy_http_version 1.1;', 'proxy_set_header Connection "";'];

/**
 * Passes requests on to these ports of this machine in turn. An unavailable instance is asked again with the next request, because the
 * tests replace instances faster than nginx forgets (`max_fails=0`). All other settings are nginx's defaults; in particular, a POST is
 * never sent again. `settings`: directives in addition to `proxy_pass`. `locations`: these in place of the only one, without `targets`.
 */
export async function startNginx(
  targets: readonly number[],
  settings: readonly string[] = kept,
  locations = onlyLocation(settings),
): Promise<ReverseProxy> {
  const program = programPaths(requirement).get('nginx') ?? '';
  const directory = await mkdtemp(join(tmpdir(), 'apikiln-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  // No master process, so that a signal ends nginx, and no worker switches to another user.
  const configuration = `
daemon off;
master_process off;
pid ${join(directory, 'pid')};
error_log stderr;
events { worker_connections 256; }
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${join(directory, name)};`).join('\n')}
${targets.length === 0 ? '' : upstream(targets)}
  server {
    listen 127.0.0.1:${port};
${locations}
  }
}
`;
  const file = join(directory, 'nginx.conf');
  await writeFile(file, configuration);
  const log = join(directory, 'log');
  const running = startWatched([program, '-c', file, '-p', directory, '-e', 'stderr'], {
    directory,
    killSignal: 'KILL',
    log,
  });
  await untilListening(port, running.running);
  return {
    url: `http://127.0.0.1:${port}`,
    errors: () => readFile(log, 'utf8'),
    async stop() {
      await running.end('KILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function upstream(targets: readonly number[]): string {
  return `  upstream service {
${targets.map((target) => `    server 127.0.0.1:${target} max_fails=0;`).join('\n')}
    keepalive 32;
  }`;
}

function onlyLocation(settings: readonly string[]): string {
  return `    location / {
      proxy_pass http://service;
${settings.map((line) => `      ${line}`).join('\n')}
    }`;
}
