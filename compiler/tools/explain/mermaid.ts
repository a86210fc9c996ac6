/** An explanation as a Mermaid flowchart, which many tools can render. */
import { mermaid } from '../../notation/mermaid-writer.js';
import { indented, joined, type Written } from '../../notation/written.js';
import type { ExplainedException, ExplainedStep, ExplainedOperation } from './explained.js';

/** A complete diagram, with a trailing line break. */
export function printMermaid(explanation: ExplainedOperation): Written<'mermaid'> {
  const chart = new Chart();
  const start = chart.node('stadium', startOf(explanation));
  const begin = chart.exceptions(explanation.exceptions, { id: start });
  const last = chart.steps(explanation.steps, begin);
  const responses = explanation.statuses.flatMap(({ status, reasons }) =>
    reasons.filter(({ from }) => from === 'response').map(({ text }) => ({ status, text })),
  );
  for (const { status, text } of responses) chart.link(last, chart.node('stadium', `${status}: ${text}`));
  if (responses.length === 0) chart.link(last, chart.node('stadium', 'end'));
  return chart.print();
}

function startOf({ operation, access, transaction }: ExplainedOperation): string {
  const who = access === null || access === 'anyone' ? [] : [access.join(', ')];
  return [operation, ...who, ...(transaction === 'own' ? ['in one transaction'] : [])].join('\n');
}

type Form = 'box' | 'stadium' | 'question' | 'database' | 'call';

const brackets: Readonly<Record<Form, readonly [Written<'mermaid'>, Written<'mermaid'>]>> = {
  box: [mermaid`["`, mermaid`"]`],
  stadium: [mermaid`(["`, mermaid`"])`],
  question: [mermaid`{"`, mermaid`"}`],
  database: [mermaid`[("`, mermaid`")]`],
  call: [mermaid`[["`, mermaid`"]]`],
};

/** The node that the next node is linked from, and the label of the link. */
interface End {
  readonly id: Written<'mermaid'>;
  readonly label?: string;
  /** Further nodes that link to the same node, from skipped steps. */
  readonly others?: readonly End[];
}

class Chart {
  readonly #lines: Written<'mermaid'>[] = [mermaid`flowchart TD`];
  #count = 0;
  #depth = 1;

  node(form: Form, text: string): Written<'mermaid'> {
    this.#count += 1;
    const id = mermaid`n${this.#count}`;
    const [open, close] = brackets[form];
    this.#line(mermaid`${id}${open}${mermaid.text(text)}${close}`);
    return id;
  }

  link({ id, label, others = [] }: End, to: Written<'mermaid'>): void {
    this.#line(
      label === undefined ? mermaid`${id} --> ${to}` : mermaid`${id} -->|"${mermaid.text(label)}"| ${to}`,
    );
    for (const other of others) this.link(other, to);
  }

  /** Returns the end of the last step. */
  steps(steps: readonly ExplainedStep[], before: End): End {
    return steps.reduce((end, step) => this.#step(step, end), before);
  }

  /** Returns the end for the case that no exception is thrown. */
  exceptions(exceptions: readonly ExplainedException[], before: End): End {
    let end = before;
    for (const { condition, status, message } of exceptions) {
      const question = this.node('question', condition);
      this.link(end, question);
      this.link({ id: question, label: 'yes' }, this.node('stadium', `${status}: ${message}`));
      end = { id: question, label: 'no' };
    }
    return end;
  }

  print(): Written<'mermaid'> {
    return mermaid`${joined(this.#lines, '\n')}\n`;
  }

  #step(step: ExplainedStep, before: End): End {
    let from = before;
    let skipped: End | undefined;
    if (step.condition !== null) {
      const question = this.node('question', step.condition);
      this.link(before, question);
      from = { id: question, label: 'yes' };
      skipped = { id: question, label: 'no' };
    }
    let end = this.#action(step, from);
    end = this.exceptions(step.exceptions, end);
    return skipped === undefined ? end : { ...end, others: [...(end.others ?? []), skipped] };
  }

  #action(step: ExplainedStep, before: End): End {
    switch (step.kind) {
      case 'statements': {
        const texts = step.statements.map(({ reads, writes }) =>
          [
            ...(reads.length === 0 ? [] : [`reads ${reads.join(', ')}`]),
            ...(writes.length === 0 ? [] : [`writes ${writes.join(', ')}`]),
          ].join('; '),
        );
        return this.#one(
          'database',
          [`${step.fulfillment}: ${step.use} ${step.datasource}`, ...texts],
          before,
        );
      }
      case 'requests':
        return this.#one(
          'box',
          [
            `${step.fulfillment}: ${step.datasource}`,
            ...step.requests.map(({ method, url }) => `${method} ${url}`),
          ],
          before,
        );
      case 'messages':
        return this.#one(
          'box',
          [`${step.fulfillment}: ${step.datasource}`, ...step.messages.map(({ to }) => `mail to ${to}`)],
          before,
        );
      case 'call':
        return this.#one(
          'call',
          [
            `${step.fulfillment}: calls ${step.operation}${step.delivery === undefined ? '' : ' after the commit'}`,
          ],
          before,
        );
      case 'code':
        return this.#one('call', [`${step.fulfillment}: user code ${step.function}`], before);
      case 'compute':
        return this.#one('call', [`${step.fulfillment}: computes`], before);
      case 'loop':
        return this.#loop(step, before);
    }
  }

  #one(form: Form, lines: readonly string[], before: End): End {
    const id = this.node(form, [...new Set(lines)].filter((line) => line !== '').join('\n'));
    this.link(before, id);
    return { id };
  }

  /** Draws a loop: from the question whether there is another element to its steps, and back. */
  #loop(step: ExplainedStep & { kind: 'loop' }, before: End): End {
    const next = this.node('question', `${step.fulfillment}: next of ${step.over}`);
    this.link(before, next);
    this.#line(mermaid`subgraph loop${next} ["${mermaid.text(`LOOP ${step.fulfillment}`)}"]`);
    this.#depth += 1;
    const last = this.steps(step.steps, { id: next, label: 'element' });
    this.#depth -= 1;
    this.#line(mermaid`end`);
    if (step.steps.length > 0) this.link(last, next);
    return { id: next, label: 'done' };
  }

  #line(text: Written<'mermaid'>): void {
    this.#lines.push(indented(text, 2 * this.#depth));
  }
}
