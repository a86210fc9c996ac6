/** The licences of packages. */

/** Licences that only require to be included: the tool and services use packages with one of these. */
export const permissive: ReadonlySet<string> = new Set([
  ...['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'],
]);

/** Packages whose package.json has the old form of the field, which lock files do not repeat, with their licence. */
export const undeclaredLicences: ReadonlyMap<string, string> = new Map([
  ['busboy', 'MIT'],
  ['streamsearch', 'MIT'],
]);
