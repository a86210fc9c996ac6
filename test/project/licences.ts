/** Licences of packages. */

/** Licences that only require their inclusion: the tool and services use only packages with these licences. */
export const permissive: ReadonlySet<string> = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'],
]);

/** Packages that declare their licence in the old form, which lock files omit, with their licence. */
export const undeclaredLicences: ReadonlyMap<string, string> = new Map([
  ['busboy', 'MIT'],
  ['streamsearch', 'MIT'],
]);
