/** The files of the package that go into services: the runtime's tarball and the templates. */
import { createHash } from 'node:crypto';
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

/** The package `@apikiln/runtime`, as in `npm publish` and in a service's folder. */
export interface RuntimeArchive {
  /** The name of the file, with a digest of its bytes: `apikiln-runtime-0.1.0-1a2b3c4d.tgz`. */
  readonly name: string;
  /** One character for each byte. */
  readonly bytes: Written<'copy'>;
  /** In the notation of lock files: `sha512-…`. */
  readonly integrity: string;
  readonly manifest: RuntimeManifest;
}

/** The fields of the runtime's package.json that lock files repeat. */
export interface RuntimeManifest {
  readonly version: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Assets {
  readonly runtime: RuntimeArchive;
  /** The packages that services may install, with their locked versions. */
  readonly packages: LockedPackages;
  template(name: string): Written<'copy'>;
}

/** Reads them from the package's folder, which `npm run build` has completed; the tarball when it is asked for. */
export function readAssets(packageFolder: string): Assets {
  const template = (name: string): Written<'copy'> => textAt(join(packageFolder, 'templates', name));
  let runtime: RuntimeArchive | undefined;
  return {
    packages: JSON.parse(template('packages.json')) as LockedPackages,
    get runtime() {
      return (runtime ??= readRuntime(join(packageFolder, 'dist')));
    },
    template,
  };
}

function readRuntime(folder: string): RuntimeArchive {
  const { tarball } = JSON.parse(readFileSync(join(folder, 'runtime.json'), 'utf8')) as { tarball: string };
  const bytes = readFileSync(join(folder, tarball));
  return {
    name: tarball,
    bytes: copied(bytes.toString('latin1')),
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    manifest: JSON.parse(readFileSync(join(folder, 'runtime/package.json'), 'utf8')) as RuntimeManifest,
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
