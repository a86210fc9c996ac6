/** Uploaded files as statement values: a placeholder for a binary column receives the bytes. */
import type { Call } from '../handler/call.js';
import { uncounted } from '../handler/memory.js';
import { BoundBytes } from './sql-template.js';

/** Number of copies of the bytes: the value, and the driver message that contains it. */
const copies = 2;

/**
 * The bytes of the file in the named part; null if missing. Throws a ServiceError: 400 if the part is not a file, 503 if there is not
 * enough memory.
 */
export function fileBytes(call: Call, part: string): BoundBytes | null {
  const file = call.file(part);
  if (file !== null && file.size >= uncounted) (call.root ?? call).holdCopies?.(copies * file.size);
  return file && new BoundBytes(file.chunks);
}
