/** The values that a CASE can have: what follows its THEN and ELSE. */
import type { Stretch } from './operand.js';
import type { OutlineToken } from './outline.js';
import { wordSet } from '../lexer/word-set.js';

/** CASE to END. */
export interface CaseExpression extends Stretch {
  readonly branches: readonly Stretch[];
}

const branchWords = wordSet('THEN ELSE');
const behindBranch = wordSet('WHEN ELSE END');

/** The CASE that the items `first` to `last` are one of the values of, as a whole. */
export function caseAround(
  items: readonly OutlineToken[],
  first: number,
  last: number,
): CaseExpression | undefined {
  const item = items[first];
  const [before, after] = [items[first - 1]?.word ?? '', items[last + 1]?.word ?? ''];
  if (item === undefined || !branchWords.has(before) || !behindBranch.has(after)) return undefined;
  const start = matching(items, first - 1, -1, 'CASE', 'END', item.parent);
  const end = matching(items, last + 1, 1, 'END', 'CASE', item.parent);
  if (start === undefined || end === undefined) return undefined;
  return { first: start, last: end, branches: branchesOf(items, start, end, item.parent) };
}

/** The index of the `word` that belongs to this CASE; those of cases inside are passed over. */
function matching(
  items: readonly OutlineToken[],
  from: number,
  step: 1 | -1,
  word: string,
  nested: string,
  parent: number,
): number | undefined {
  let depth = 0;
  for (let index = from; index >= 0 && index < items.length; index += step) {
    const item = items[index];
    if (item?.parent !== parent) continue;
    if (item.word === nested) depth += 1;
    if (item.word !== word) continue;
    if (depth === 0) return index;
    depth -= 1;
  }
  return undefined;
}

function branchesOf(items: readonly OutlineToken[], start: number, end: number, parent: number): Stretch[] {
  const branches: Stretch[] = [];
  let depth = 0;
  let first: number | undefined;
  for (let index = start + 1; index <= end; index += 1) {
    const item = items[index];
    if (item?.parent !== parent) continue;
    if (depth === 0 && first !== undefined && behindBranch.has(item.word)) {
      branches.push({ first, last: index - 1 });
      first = undefined;
    }
    if (item.word === 'CASE') depth += 1;
    else if (item.word === 'END') depth -= 1;
    else if (depth === 0 && branchWords.has(item.word)) first = index + 1;
  }
  return branches;
}
