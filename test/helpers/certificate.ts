/** A self-signed certificate for this machine, and servers that use it. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseServer } from './database-server.js';
import { startMariadb } from './mariadb-server.js';
import { startPostgres } from './postgres-server.js';

export interface Certificate {
  /** Paths of files. */
  readonly key: string;
  readonly certificate: string;
  /** Removes the files. */
  readonly remove: () => void;
}

/**
 * Creates a certificate for localhost and its address. `owner`: a path whose owner must be able to read the key; `others`: further names, as
 * OpenSSL writes them.
 */
export function makeCertificate(owner?: string, others: readonly string[] = []): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-certificate-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const all = ['DNS:localhost', 'IP:127.0.0.1', ...others].join(',');
  const names = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${all}`];
  const files = ['-days', '2', '-nodes', '-keyout', key, '-out', certificate];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', ['req', '-x509', ...made, ...names, ...files], { stdio: 'ignore' });
  if (owner !== undefined) {
    const { uid, gid } = statSync(owner);
    for (const path of [folder, key, certificate]) chownSync(path, uid, gid);
  }
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  return { key, certificate, remove };
}

/** Starts a private PostgreSQL server that also accepts TLS connections. */
export async function startSecurePostgres(): Promise<DatabaseServer> {
  const server = await startPostgres();
  const [row] = await server.exec('postgres', 'show data_directory');
  const { key, certificate, remove } = makeCertificate(String(row?.['data_directory']));
  await server.exec('postgres', `alter system set ssl_key_file = '${key}'`);
  await server.exec('postgres', `alter system set ssl_cert_file = '${certificate}'`);
  await server.exec('postgres', 'alter system set ssl = on');
  await server.restart('fast');
  return withoutFiles(server, remove);
}

/** Starts a private MariaDB server that also accepts TLS connections. */
export async function startSecureMariadb(): Promise<DatabaseServer> {
  const { key, certificate, remove } = makeCertificate();
  return withoutFiles(await startMariadb([`--ssl-cert=${certificate}`, `--ssl-key=${key}`]), remove);
}

function withoutFiles(server: DatabaseServer, remove: () => void): DatabaseServer {
  const stop = async () => {
    await server.stop();
    remove();
  };
  return { ...server, stop };
}
