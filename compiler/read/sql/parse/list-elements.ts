/** The elements of a list in SQL, which commas separate. */
import type { Stretch } from './operand.js';
import type { OutlineToken } from './outline.js';

/**
 * The elements between the items `first` and `end`, which is behind the list. Commas in parentheses or in the brackets of an array
 * separate none. The list is directly inside of the parenthesis `parent`.
 */
export function listElements(
  items: readonly OutlineToken[],
  first: number,
  end: number,
  parent = items[first]?.parent,
): Stretch[] {
  const elements: Stretch[] = [];
  let start = first;
  for (let index = first; index <= end; index += 1) {
    const item = items[index];
    if (index < end && !(item?.word === ',' && item.parent === parent && !item.inBrackets)) continue;
    elements.push({ first: start, last: index - 1 });
    start = index + 1;
  }
  return elements;
}
