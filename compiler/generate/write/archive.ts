/** The files of a service that are not text. */

/** Whether the text of a file of this path has one character for each byte. */
export function isArchive(path: string): boolean {
  return path.endsWith('.tgz');
}
