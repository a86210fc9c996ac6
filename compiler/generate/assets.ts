/** The files of the package that go into every service: the runtime's source and the templates. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copied, type Written } from '../notation/written.js';
import { parseExplanations, type Explanations } from '../read/diagnostics/explanation.js';

/** An installed package, as lock files describe it. */
export interface LockedPackage {
  readonly version: string;
  readonly integrity: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** By the folder that each is installed in: `node_modules/knex/node_modules/debug`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

export interface Assets {
  /** The version of this tool, and of the runtime that it brings. */
  readonly version: string;
  /** The text of its licence, which the copy of the runtime keeps. */
  readonly license: Written<'copy'>;
  /** Path below the runtime's folder to text. */
  readonly runtime: ReadonlyMap<string, Written<'copy'>>;
  /** The packages that services may install, with their locked versions. */
  readonly packages: LockedPackages;
  template(name: string): Written<'copy'>;
}

/** Reads them from the package's folder. */
export function readAssets(packageFolder: string): Assets {
  const folder = join(packageFolder, 'runtime');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const runtime = paths
    .sort()
    .map((path): [string, Written<'copy'>] => [path.replaceAll('\\', '/'), textAt(join(folder, path))]);
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const template = (name: string): Written<'copy'> => textAt(join(packageFolder, 'templates', name));
  return {
    version,
    license: textAt(join(packageFolder, 'LICENSE')),
    packages: JSON.parse(template('packages.json')) as LockedPackages,
    runtime: new Map(runtime),
    template,
  };
}

/** A file of the package, which goes into services as it is. */
function textAt(path: string): Written<'copy'> {
  return copied(readFileSync(path, 'utf8'));
}

/** The explanation of each code, from the files of the package's folder. */
export function readExplanations(packageFolder: string): Explanations {
  const folder = join(packageFolder, 'templates/explanations');
  const files = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return new Map(
    files.sort().flatMap((name) => [...parseExplanations(readFileSync(join(folder, name), 'utf8'))]),
  );
}
