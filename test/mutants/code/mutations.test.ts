/** The mutants generated for a source text, and the text that contains all of them as alternatives. */
import { describe, expect, test } from 'vitest';
import { mutationsOf } from './mutations.js';
import { switchedText } from './switched-text.js';

/** The text after each single mutation. */
function mutantsOf(text: string): string[] {
  return mutationsOf('a.ts', text).map(
    (one) => `${text.slice(0, one.start)}${one.text ?? '{}'}${text.slice(one.end)}`,
  );
}

describe('mutants of', () => {
  test.each([
    ['a < b;', ['(a) <= (b);', '(a) >= (b);']],
    ['if (a) b();', ['if (true) b();', 'if (false) b();', 'if (a) undefined;']],
    ['while (a && b) c++;', ['while (false) c++;', 'while ((a) || (b)) c++;', 'while (a && b) c--;']],
    ['const a = b ? 1 : 2;', ['const a = true ? 1 : 2;', 'const a = false ? 1 : 2;']],
    ['x = !a;', ['x = !!(a);']],
    ["x = a + 'b';", ["x = a + '';"]],
    ["x = '';", ["x = 'mutant';"]],
    ['x = [a, true];', ['x = [];', 'x = [a, false];']],
    ['x = a.some(b);', ['x = a.every(b);']],
    ['x = a?.filter(b).sort();', ['x = a?.filter(b);']],
    ['x = (y) => y;', ['x = (() => undefined);']],
    ['function f() { return a; }', ['function f() {}']],
    ['x = /^a+[b]$/u;', ['x = /a+[b]$/u;', 'x = /^a[b]$/u;', 'x = /^a+[^b]$/u;', 'x = /^a+[b]/u;']],
    ['x = a ?? b;', ['x = (a) && (b);']],
    ['x += 1;', ['x -= (1);']],
  ])('%s', (text, mutants) => {
    expect(mutantsOf(text)).toEqual(mutants);
  });

  test.each([
    ['names of modules', "import { a } from './a.js'; export * from './b.js'; await import('./c.js');"],
    ['types', "interface A { b: 'c' } type D = 'e' | true; let f: 'g';"],
    ['names of properties', "x = { 'a': b };"],
    ['what is assigned to', '[a, b] = c;'],
    ['errors of ours', "if_: { throw new Error('a' + b); }"],
    ['values that only the type checker asks for', "x = text[1] ?? '';"],
  ])('%s: none', (_, text) => {
    expect(mutantsOf(text)).toEqual([]);
  });
});

describe('the text with all of its mutants', () => {
  const text =
    'function f(a) { for (const b of a) { if (b > 1 && b < 4) return [b, true]; } return "none"; }';
  const mutations = mutationsOf('a.ts', text).map((one, id) => ({ ...one, id }));
  const whole = `(isMutant, countRound) => { ${switchedText('a.ts', text, mutations)}; return f; }`;

  type Made = (isMutant: (id: number) => boolean, countRound: () => void) => (list: number[]) => unknown;

  /** The response of the text, or of one of its mutants. */
  function run(script: string, isMutant: (id: number) => boolean): string {
    // The text is defined above.
    const made = (0, eval)(script) as Made;
    return [[1], [2], [4], [1, 3], []]
      .map((list) => JSON.stringify(made(isMutant, () => undefined)(list)))
      .join();
  }

  test('is itself where none is on', () => {
    expect(run(whole, () => false)).toBe('"none",[2,true],"none",[3,true],"none"');
  });

  test.each(mutations)('is mutant $id', ({ id, start, end, text: other }) => {
    const alone = `${text.slice(0, start)}${other ?? '{}'}${text.slice(end)}`;
    expect(run(whole, (asked) => asked === id)).toBe(run(`() => { ${alone}; return f; }`, () => false));
  });
});
