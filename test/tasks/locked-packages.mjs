/** The packages of a lock file that services may install. */

/** Packages that a service or its runtime may list in package.json. */
const named = [
  ...['axios', 'croner', 'express', 'hash-wasm', 'jose', 'knex', 'multer', 'mysql2'],
  ...['nodemailer', 'pg', 'pino'],
  'swagger-ui-dist',
  ...['@types/express', '@types/multer', '@types/node', '@types/pg', 'typescript'],
];

/** Fields of a package that lock files keep; its URL, and its role in this repository, are omitted. */
const fields = [
  ...['version', 'integrity', 'hasInstallScript', 'license', 'dependencies', 'optionalDependencies'],
  ...['bin', 'engines', 'os', 'cpu', 'peerDependencies', 'peerDependenciesMeta', 'funding'],
];

/**
 * @param {{ packages: Record<string, Record<string, unknown>> }} lock
 * @returns {Record<string, Record<string, unknown>>} by folder, sorted
 */
export function lockedPackages({ packages }) {
  const found = new Set();
  const add = (folder) => {
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[folder];
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (name) => !peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
      add(folderOf(packages, folder, name));
  };
  for (const name of named) add(`node_modules/${name}`);
  return Object.fromEntries(
    [...found].sort().map((folder) => {
      const entries = fields.map((field) => [field, packages[folder][field]]);
      return [folder, Object.fromEntries(entries.filter(([, value]) => value !== undefined))];
    }),
  );
}

/**
 * The folder of a package as resolved from another one: inside its own folder or the nearest one above.
 * @param {Record<string, unknown>} packages
 * @param {string} from
 * @param {string} name
 */
export function folderOf(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (folder in packages) return folder;
    if (at === '') return undefined;
  }
}
