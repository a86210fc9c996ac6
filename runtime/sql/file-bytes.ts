/** Files of a request as values of statements (extensions 12.5). */
import type { Call } from '../handler/call.js';
import { BoundBytes } from './sql-template.js';

/** The bytes of the file of that part; null if there is none. Throws a ServiceError 400 if the part is not a file. */
export function fileBytes(call: Call, part: string): BoundBytes | null {
  const file = call.file(part);
  return file && new BoundBytes(file.chunks);
}
