/** Compares two texts line by line, as a unified diff. */

interface Line {
  readonly marker: ' ' | '-' | '+';
  readonly text: string;
}

/** Lines of context around a change. */
const context = 3;
/** Maximum number of line pairs to compare; beyond it, all old lines are followed by all new lines. */
const maxPairs = 4_000_000;

/** The hunks with their headers; empty if the texts are equal. */
export function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  const lines = difference(before, after);
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ marker }) => marker !== ' '),
  );
  const result: string[] = [];
  let [old, now] = [1, 1];
  for (const [index, line] of lines.entries()) {
    if (shown[index] === true && shown[index - 1] !== true) {
      const end = shown.indexOf(false, index);
      const hunk = lines.slice(index, end === -1 ? lines.length : end);
      const count = (marker: Line['marker']): number => hunk.filter((line) => line.marker !== marker).length;
      result.push(`@@ -${range(old, count('+'))} +${range(now, count('-'))} @@`);
    }
    if (shown[index] === true) result.push(`${line.marker}${line.text}`);
    if (line.marker !== '+') old += 1;
    if (line.marker !== '-') now += 1;
  }
  return result;
}

function range(from: number, count: number): string {
  return `${count === 0 ? from - 1 : from},${count}`;
}

function difference(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ marker: ' ', text }));
  return [
    ...same(before.slice(0, start)),
    ...changed(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

/** Keeps the longest common subsequence of lines. */
function changed(before: readonly string[], after: readonly string[]): Line[] {
  const removed = (lines: readonly string[]): Line[] => lines.map((text) => ({ marker: '-', text }));
  const added = (lines: readonly string[]): Line[] => lines.map((text) => ({ marker: '+', text }));
  if (before.length * after.length > maxPairs) return [...removed(before), ...added(after)];
  // Lengths of the longest common subsequences of the remaining lines.
  const common = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const row = common[i];
    for (let j = after.length - 1; j >= 0 && row !== undefined; j -= 1)
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ marker: ' ', text: before[i] ?? '' });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      lines.push({ marker: '-', text: before[i] ?? '' });
      i += 1;
    } else {
      lines.push({ marker: '+', text: after[j] ?? '' });
      j += 1;
    }
  }
  return [...lines, ...removed(before.slice(i)), ...added(after.slice(j))];
}
