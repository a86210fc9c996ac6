/** The files of the package that go into services: the runtime's tarball and the templates. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copied, type Written } from '../notation/written.js';
import { parseExplanations, type Explanations } from '../read/diagnostics/explanation.js';

/** An installed package as described in lock files. */
export interface LockedPackage {
  readonly version: string;
  readonly integrity: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Packages by installation folder, such as `node_modules/knex/node_modules/debug`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** The `@apikiln/runtime` package, as published by `npm publish` and as vendored in services. */
export interface RuntimeArchive {
  /** The file name, including a digest of the bytes: `apikiln-runtime-0.1.0-1a2b3c4d.tgz`. */
  readonly name: string;
  /** One character per byte. */
  readonly bytes: Written<'copy'>;
  /** In lock file notation: `sha512-…`. */
  readonly integrity: string;
  readonly manifest: RuntimeManifest;
}

/** Fields of the runtime's package.json that lock files repeat. */
export interface RuntimeManifest {
  readonly version: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Assets {
  readonly runtime: RuntimeArchive;
  /** Packages that services may install, with locked versions. */
  readonly packages: LockedPackages;
  template(name: string): Written<'copy'>;
}

/** Reads the assets from the package folder that `npm run build` has completed; the tarball is read lazily. */
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

/** A file of the package that is copied to services unchanged. */
function textAt(path: string): Written<'copy'> {
  return copied(readFileSync(path, 'utf8'));
}

/** The explanation of each diagnostic code, from the package folder. */
export function readExplanations(packageFolder: string): Explanations {
  const folder = join(packageFolder, 'templates/explanations');
  const files = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return new Map(
    files.sort().flatMap((name) => [...parseExplanations(readFileSync(join(folder, name), 'utf8'))]),
  );
}
