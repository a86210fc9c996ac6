/** A source file that contains all of its mutants, and checks at each position which mutant is active. */
import { ts } from 'ts-morph';
import type { Mutation } from './mutations.js';

export interface NumberedMutation extends Mutation {
  readonly id: number;
}

/** Keeps line numbers. Loops count their iterations, so that a mutant with an endless loop can be stopped. */
export function switchedText(path: string, text: string, mutations: readonly NumberedMutation[]): string {
  const loops = loopBodies(path, text);
  const sorted = [...mutations].sort((one, other) => one.start - other.start || other.end - one.end);

  function render(start: number, end: number, inside: readonly NumberedMutation[]): string {
    let rendered = '';
    let at = start;
    let rest = inside;
    while (rest.length > 0) {
      const [first] = rest;
      if (first === undefined) break;
      const same = rest.filter((one) => one.start === first.start && one.end === first.end);
      const within = rest.filter((one) => !same.includes(one) && one.start < first.end);
      rendered += withRounds(at, first.start) + choice(first, same, within);
      at = first.end;
      rest = rest.filter((one) => !same.includes(one) && !within.includes(one));
    }
    return rendered + withRounds(at, end);
  }

  function choice(
    { start, end }: Mutation,
    same: readonly NumberedMutation[],
    within: readonly NumberedMutation[],
  ): string {
    const block = same.find((one) => one.text === undefined);
    if (block !== undefined)
      return `{if (isMutant(${block.id})) {} else {${render(start + 1, end - 1, within)}}}`;
    const others = same.map((one) => `isMutant(${one.id}) ? (${one.text ?? ''}) : `);
    return `(${others.join('')}(${render(start, end, within)}))`;
  }

  function withRounds(start: number, end: number): string {
    let rendered = '';
    let at = start;
    for (const loop of loops.filter((one) => one >= start && one < end)) {
      rendered += `${text.slice(at, loop)}countRound();`;
      at = loop;
    }
    return rendered + text.slice(at, end);
  }

  return render(0, text.length, sorted);
}

/** The positions after the `{` of all loops. */
function loopBodies(path: string, text: string): number[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const found: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIterationStatement(node, false) && ts.isBlock(node.statement))
      found.push(node.statement.getStart(source) + 1);
    node.forEachChild(visit);
  };
  visit(source);
  return found.sort((one, other) => one - other);
}
