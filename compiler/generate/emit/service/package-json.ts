/** package.json of the service: exact versions, and only packages that its modules import. */
import { json } from '../../../notation/json-writer.js';
import type { Written } from '../../../notation/written.js';
import { runtimePackage } from '../../plan/names/runtime-symbols.js';

/** A package.json. */
export interface Manifest extends Readonly<Record<string, unknown>> {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Supported Node.js versions of services. */
export const nodeVersions = '>=20.19';

/** Versions that this compiler was tested with. */
const testedVersions: Readonly<Record<string, string>> = {
  axios: '1.21.1',
  croner: '11.0.1',
  express: '5.3.0',
  'hash-wasm': '4.13.0',
  jose: '6.2.18',
  knex: '3.3.0',
  multer: '2.5.0',
  mysql2: '3.24.5',
  nodemailer: '10.6.1',
  pg: '8.23.1',
  pino: '10.4.0',
  'swagger-ui-dist': '5.35.0',
};

/** Packages that provide TypeScript types for other packages. */
export const typePackages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  express: { '@types/express': '5.0.6' },
};

export const developmentVersions: Readonly<Record<string, string>> = {
  '@types/node': '20.19.43',
  typescript: '7.0.2',
};

/**
 * Packages with an install script that services do not need, by the package that depends on them: newer npm versions ask about each script.
 */
const unneededScripts: Readonly<Record<string, string>> = { 'swagger-ui-dist': '@scarf/scarf' };

/** The parts of package.json that differ between services. */
export interface ServiceManifest {
  readonly service: string;
  /** The version of the API description. */
  readonly version: string | undefined;
  /** Packages that the runtime loads in this service, and packages of known version that user code imports. */
  readonly packages: readonly string[];
  /** The runtime dependency: `file:vendor/…` or a version. */
  readonly runtime: string;
}

export function servicePackage({ service, version, packages, runtime }: ServiceManifest): Manifest {
  const denied = packages.flatMap((name) => unneededScripts[name] ?? []);
  return {
    // Without a name, npm would use the folder name in the lock file.
    name: service,
    // Without a version, npm could not list the service's packages (`npm sbom`).
    version: packageVersion(version),
    private: true,
    type: 'module',
    engines: { node: nodeVersions },
    scripts: { build: 'tsc', start: 'node --enable-source-maps dist/main.js' },
    dependencies: sorted({ [runtimePackage]: runtime, ...packageVersions(packages) }),
    devDependencies: sorted({ ...developmentVersions, ...typesOf(packages) }),
    allowScripts: Object.fromEntries(denied.map((name) => [name, false])),
  };
}

/** Converts versions to npm's notation: `2.1` becomes 2.1.0. Invalid versions such as `draft` become the first version. */
export function packageVersion(written = ''): string {
  const pattern = /^v?(\d{1,15})(?:\.(\d{1,15})(?:\.(\d{1,15})(-[a-z]+(?:\.?[1-9]\d{0,9})?)?)?)?$/i;
  const [, major, minor = 0, patch = 0, more = ''] = pattern.exec(written) ?? [];
  return major === undefined ? '1.0.0' : `${[major, minor, patch].map(Number).join('.')}${more}`;
}

/** The version of each package. */
export function packageVersions(names: readonly string[]): Readonly<Record<string, string>> {
  return sorted(Object.fromEntries(names.map((name) => [name, versionOf(name)])));
}

/** The type packages for these packages, with versions. */
export function typesOf(names: readonly string[]): Readonly<Record<string, string>> {
  return sorted(
    Object.assign({}, ...names.map((name) => typePackages[name] ?? {})) as Record<string, string>,
  );
}

/** A package.json without empty tables. */
export function printManifest(manifest: Manifest): Written<'json'> {
  const isEmpty = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  const fields = Object.entries(manifest).filter(([, value]) => !isEmpty(value));
  return json.file(Object.fromEntries(fields));
}

function sorted(table: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function versionOf(name: string): string {
  const version = testedVersions[name];
  if (version === undefined)
    throw new Error(`The generated service imports '${name}', and no version of it is known.`);
  return version;
}
