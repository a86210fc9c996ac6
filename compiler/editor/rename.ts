/** Gives a name of a configuration another spelling, everywhere. */
import type { Analysis } from '../analyze/analysis.js';
import { editOf, type Edit } from '../diagnostics/fix.js';
import { printName } from '../expression/name-argument.js';
import { occurrenceAt, sameAs, type Occurrence } from './occurrences.js';

/** The name at the offset, where it can be renamed; else a sentence that says why not. */
export function renamable(analysis: Analysis, offset: number): Occurrence | string {
  const found = occurrenceAt(analysis, offset);
  if (found === undefined) return 'There is no name here that can be renamed.';
  if (found.kind === 'model') return 'Models are named in the API description. Rename them there.';
  return found;
}

/** The edits of the configuration, or a sentence that says why the new name does not do. */
export function rename(analysis: Analysis, offset: number, name: string): readonly Edit[] | string {
  const found = renamable(analysis, offset);
  if (typeof found === 'string') return found;
  if (name.trim() === '' || /[\r\n]/.test(name)) return 'A name is one line of text.';
  const { source, operations } = analysis.config;
  const all = sameAs(analysis, offset);
  if (
    found.kind === 'fulfillment' &&
    found.operation?.syntax === 'B' &&
    !/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)
  )
    return `'${name}' is not a name of Syntax B. Use letters, digits, _ and -.`;
  const isTaken =
    found.kind === 'operation'
      ? operations.some((one) => one.name.value === name)
      : found.kind === 'datasource' && analysis.datasource(name) !== undefined;
  if (isTaken && name !== found.name) return `There is another ${found.kind} '${name}'.`;
  return all
    .filter(({ place }) => place.source === source)
    .flatMap(({ place, isInExpression }) => {
      const isA = isInExpression === true && found.operation?.syntax === 'A';
      return editOf(place, isA ? printName(name) : name) ?? [];
    });
}
