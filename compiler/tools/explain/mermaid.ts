/** An explanation as a flowchart of Mermaid, which many tools show. */
import type { ExplainedException, ExplainedStep, ExplainedOperation } from './explained.js';

/** A diagram of its own, with a line break at the end. */
export function printMermaid(explanation: ExplainedOperation): string {
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

const brackets: Readonly<Record<Form, readonly [string, string]>> = {
  box: ['["', '"]'],
  stadium: ['(["', '"])'],
  question: ['{"', '"}'],
  database: ['[("', '")]'],
  call: ['[["', '"]]'],
};

/** Where the next node is linked to, and with which label. */
interface End {
  readonly id: string;
  readonly label?: string;
  /** Others that lead there too: where steps were skipped. */
  readonly others?: readonly End[];
}

class Chart {
  readonly #lines: string[] = ['flowchart TD'];
  #count = 0;
  #depth = 1;

  node(form: Form, text: string): string {
    this.#count += 1;
    const id = `n${this.#count}`;
    const [open, close] = brackets[form];
    this.#line(`${id}${open}${escaped(text)}${close}`);
    return id;
  }

  link({ id, label, others = [] }: End, to: string): void {
    this.#line(label === undefined ? `${id} --> ${to}` : `${id} -->|"${escaped(label)}"| ${to}`);
    for (const other of others) this.link(other, to);
  }

  /** Returns where they end. */
  steps(steps: readonly ExplainedStep[], before: End): End {
    return steps.reduce((end, step) => this.#step(step, end), before);
  }

  /** Returns where none of them fired. */
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

  print(): string {
    return `${this.#lines.join('\n')}\n`;
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
      case 'call':
        return this.#one('call', [`${step.fulfillment}: calls ${step.operation}`], before);
      case 'code':
        return this.#one('call', [`${step.fulfillment}: own code ${step.function}`], before);
      case 'loop':
        return this.#loop(step, before);
    }
  }

  #one(form: Form, lines: readonly string[], before: End): End {
    const id = this.node(form, [...new Set(lines)].filter((line) => line !== '').join('\n'));
    this.link(before, id);
    return { id };
  }

  /** From the question whether there is another element into its steps, and back. */
  #loop(step: ExplainedStep & { kind: 'loop' }, before: End): End {
    const next = this.node('question', `${step.fulfillment}: next of ${step.over}`);
    this.link(before, next);
    this.#line(`subgraph loop${next} ["${escaped(`LOOP ${step.fulfillment}`)}"]`);
    this.#depth += 1;
    const last = this.steps(step.steps, { id: next, label: 'element' });
    this.#depth -= 1;
    this.#line('end');
    if (step.steps.length > 0) this.link(last, next);
    return { id: next, label: 'done' };
  }

  #line(text: string): void {
    this.#lines.push(`${'  '.repeat(this.#depth)}${text}`);
  }
}

/** All characters but plain letters and a few others become character codes: nothing in a text is syntax of Mermaid, Markdown or HTML. */
function escaped(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      Array.from(line, (character) =>
        /^[\p{L}\p{N} .,:$/=()+-]$/u.test(character) ? character : `#${character.codePointAt(0) ?? 0};`,
      ).join(''),
    )
    .join('<br/>');
}
