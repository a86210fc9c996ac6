/** Caches an API description between compilations until one of its files changes. */
import { Recording } from '../diagnostics/recording.js';
import type { Report } from '../diagnostics/report.js';
import type { ApiDescription } from './api-model.js';
import type { DescriptionInput } from './documents.js';
import { readDescription } from './read-description.js';

type File = ReturnType<DescriptionInput['read']>;

interface Kept {
  readonly input: DescriptionInput;
  /** The other files that are referenced, by path. */
  readonly files: ReadonlyMap<string, File>;
  readonly recording: Recording;
  readonly description: ApiDescription | undefined;
}

export class DescriptionCache {
  #kept: Kept | undefined;

  /** Returns and reports the same as `readDescription`; the same object as long as nothing has changed. */
  read(input: DescriptionInput, report: Report): ApiDescription | undefined {
    const kept = this.#kept !== undefined && isSame(this.#kept, input) ? this.#kept : readNow(input);
    this.#kept = kept;
    report.replay(kept.recording.all);
    return kept.description;
  }
}

/** Reads the API description, using the cache if possible. */
export function readKeptDescription(
  input: DescriptionInput,
  report: Report,
  kept: DescriptionCache | undefined,
): ApiDescription | undefined {
  return kept === undefined ? readDescription(input, report) : kept.read(input, report);
}

function readNow(input: DescriptionInput): Kept {
  const files = new Map<string, File>();
  const read = (path: string): File => {
    const file = input.read(path);
    files.set(path, file);
    return file;
  };
  const recording = new Recording();
  const description = readDescription({ ...input, read }, recording);
  return { input, files, recording, description };
}

function isSame({ input, files }: Kept, { source, others = [], read }: DescriptionInput): boolean {
  const { source: before, others: othersBefore = [] } = input;
  return (
    source.path === before.path &&
    source.text === before.text &&
    others.join('\0') === othersBefore.join('\0') &&
    [...files].every(([path, file]) => isSameFile(file, read(path)))
  );
}

function isSameFile(one: File, other: File): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return one.path === other.path && one.text === other.text;
}
