/** Binary files of a service. */

/** Whether the contents of the file are a binary string, with one character per byte. */
export function isArchive(path: string): boolean {
  return path.endsWith('.tgz');
}
