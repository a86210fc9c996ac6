/** package.json of the service: exact versions, and only the packages that its modules import. */
/** The versions that this compiler was tested with. */
export const packageVersions: Readonly<Record<string, string>> = {
  axios: '1.21.1',
  croner: '11.0.1',
  express: '5.3.0',
  knex: '3.3.0',
  multer: '2.5.0',
  mysql2: '3.24.5',
  pg: '8.23.1',
  pino: '10.4.0',
  'swagger-ui-dist': '5.35.0',
};

/** Packages that the TypeScript compiler needs to know the types of another. */
export const typePackages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  express: { '@types/express': '5.0.6' },
  multer: { '@types/multer': '2.3.0' },
  pg: { '@types/pg': '8.23.1' },
};

export const developmentVersions: Readonly<Record<string, string>> = {
  '@types/node': '20.19.43',
  typescript: '6.0.3',
};

/** `packages` are the names of the packages imported. The service has no name of its own: the same configuration gives the same bytes wherever it is built. */
export function emitPackageJson(packages: ReadonlySet<string>): string {
  const names = [...packages].sort();
  const dependencies = Object.fromEntries(names.map((name) => [name, versionOf(name)]));
  const development = Object.assign(
    {},
    developmentVersions,
    ...names.map((name) => typePackages[name] ?? {}),
  ) as Record<string, string>;
  const manifest = {
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    // It would send a report of each installation to its makers.
    ...(packages.has('swagger-ui-dist') ? { scarfSettings: { enabled: false } } : {}),
    scripts: { build: 'tsc', start: 'node --enable-source-maps dist/main.js' },
    dependencies,
    devDependencies: Object.fromEntries(Object.entries(development).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function versionOf(name: string): string {
  const version = packageVersions[name];
  if (version === undefined)
    throw new Error(`The generated service imports '${name}', and no version of it is known.`);
  return version;
}
