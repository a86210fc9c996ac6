/** Files of a request as values of statements: a placeholder of a binary column gets the bytes. */
import type { Call } from '../handler/call.js';
import { uncounted } from '../handler/memory.js';
import { BoundBytes } from './sql-template.js';

/** Copies of a file's bytes: the value, and the driver's message that contains it. */
const copies = 2;

/**
 * The bytes of the file of that part; null if it is missing. Throws a ServiceError: 400 if the part is not a file, 503 if the process does
 * not have enough memory.
 */
export function fileBytes(call: Call, part: string): BoundBytes | null {
  const file = call.file(part);
  if (file !== null && file.size >= uncounted) (call.root ?? call).holdCopies?.(copies * file.size);
  return file && new BoundBytes(file.chunks);
}
