/** Finds the programs of database servers, and installs their Debian packages if allowed. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs of a server, and the package that contains them. */
export interface Requirement {
  readonly programs: readonly string[];
  readonly debianPackage: string;
  /** Printed if the programs are missing and cannot be installed. */
  readonly missing: string;
}

/** The paths of the programs by name; as root on Debian, installs missing ones. Throws a one-sentence error if they are not available. */
export function programPaths(requirement: Requirement): Map<string, string> {
  const found = findPrograms(requirement.programs);
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version'))
    installPackage(requirement.debianPackage);
  const installed = findPrograms(requirement.programs);
  if (installed === undefined) throw new Error(requirement.missing);
  return installed;
}

/** A library, of whose files one is enough. */
export interface LibraryRequirement {
  readonly files: readonly string[];
  readonly debianPackage: string;
  /** Printed if the library is missing and cannot be installed. */
  readonly missing: string;
}

/** The path of a library; as root on Debian, installs a missing one. Throws a one-sentence error if it is not available. */
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

/** Paths by program name; undefined if a program is missing. The newest PostgreSQL version is preferred. */
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

/** Debian does not add PostgreSQL's server programs to PATH. */
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
