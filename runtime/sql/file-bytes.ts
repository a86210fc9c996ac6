/** Files of a request as values of statements: a placeholder of a binary column gets the bytes. */
import type { Call } from '../handler/call.js';
import { uncounted } from '../handler/memory.js';
import { BoundBytes } from './sql-template.js';

/** Of the bytes of a file: the value, and the message that the driver makes of it. */
const copies = 2;

/** The bytes of the file of that part; null if there is none. Throws a ServiceError: 400 if the part is not a file, 503
 * if the process has no memory for it. */
export function fileBytes(call: Call, part: string): BoundBytes | null {
  const file = call.file(part);
  if (file !== null && file.size >= uncounted) (call.root ?? call).holdCopies?.(copies * file.size);
  return file && new BoundBytes(file.chunks);
}
