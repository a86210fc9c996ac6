/** Finds the programs of the database servers, and installs their Debian packages where that is allowed. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The requirements of a server: its programs, and the package that brings them. */
export interface Requirement {
  readonly programs: readonly string[];
  readonly debianPackage: string;
  /** Printed if the programs are missing and cannot be installed. */
  readonly missing: string;
}

/**
 * The paths of the programs by their names; installs them first when this is Debian, run as root.
 * Throws one sentence when they are not to be had.
 */
export function programPaths(requirement: Requirement): Map<string, string> {
  const found = findPrograms(requirement.programs);
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version'))
    installPackage(requirement.debianPackage);
  const installed = findPrograms(requirement.programs);
  if (installed === undefined) throw new Error(requirement.missing);
  return installed;
}

/** Which files a package brings: one of them is enough. */
export interface LibraryRequirement {
  readonly files: readonly string[];
  readonly debianPackage: string;
  /** Printed if it is missing and cannot be installed. */
  readonly missing: string;
}

/** The path of a library; installs its package first when this is Debian, run as root. Throws one sentence when it is not to be had. */
export function libraryPath({ files, debianPackage, missing }: LibraryRequirement): string {
  const find = () => files.find((file) => existsSync(file));
  if (find() === undefined && process.getuid?.() === 0 && existsSync('/etc/debian_version'))
    installPackage(debianPackage);
  const found = find();
  if (found === undefined) throw new Error(missing);
  return found;
}

function installPackage(name: string): void {
  console.error(`Installing ${name} with apt-get …`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-q'], { stdio: 'ignore', env: environment });
  spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], {
    stdio: 'ignore',
    env: environment,
  });
}

/** Program name to path; undefined unless all are there. PostgreSQL's newest version wins. */
function findPrograms(names: readonly string[]): Map<string, string> | undefined {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...postgresFolders(),
    '/usr/sbin',
    '/usr/bin',
  ];
  const paths = new Map<string, string>();
  for (const name of names) {
    const folder = folders.find((candidate) => candidate !== '' && isProgram(join(candidate, name)));
    if (folder === undefined) return undefined;
    paths.set(name, join(folder, name));
  }
  return paths;
}

/** Debian keeps PostgreSQL's own programs out of PATH. */
function postgresFolders(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
