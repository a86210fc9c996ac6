/** The outcomes of different ways to write an operation: diagnostics, or a handler. */
import { checkSource } from '../../compiler/compile.js';
import { emitHandler } from '../../compiler/generate/emit/handler.js';
import { plan } from '../../compiler/generate/plan/plan.js';
import { position } from '../../compiler/read/source.js';
import type { PlainModel } from './nested-loops.js';
import { configOf, descriptionOf, type PlainOperation, type WrittenJoin } from './plain-config.js';

/** The diagnostics of an operation and the code of its handler, without quotations from the configuration. */
export interface Outcome {
  readonly diagnostics: readonly string[];
  /** Undefined if there are errors. */
  readonly code: string | undefined;
  /** The joins that warnings suggest to remove. */
  readonly unused: readonly string[];
}

/** The number of lines before the operations in the configuration. */
const linesBefore = 2;

/** The outcome for each way to write the joins. */
export function outcomesOf(
  model: PlainModel,
  isList: boolean,
  names: readonly string[],
  writings: readonly (readonly WrittenJoin[])[],
): Outcome[] {
  const operations = writings.map((joins, index): PlainOperation => ({ path: `/w${index}`, names, joins }));
  const config = { path: 'config.yaml', text: configOf(model, operations) };
  const paths = operations.map(({ path }) => path);
  const { service, diagnostics } = checkSource({ config, description: descriptionOf(model, isList, paths) });
  const whole = service && plan(service);
  const found = operations.map((): string[] => []);
  const unused = operations.map((): string[] => []);
  for (const { code, severity, message, hint, span } of diagnostics) {
    const index = position(span.source, span.start).line - linesBefore - 1;
    if (code === 'join-never-used') unused[index]?.push(span.source.text.slice(span.start, span.end));
    // The wording of a hint differs if the fulfillment already has joins.
    const added = hint
      ?.replace(/^Write in fulfillment ('\w+'): join:/, "Add to 'join' of $1:")
      .replace('write there: join:', "add to its 'join':");
    found[index]?.push(`${severity} ${code}: ${message} ${added ?? ''}`);
  }
  return operations.map(({ path }, index) => {
    const planned = whole?.operations.find(({ name }) => name === `GET ${path}`);
    const code = whole && planned && emitHandler(planned, whole).text;
    return {
      unused: unused[index] ?? [],
      diagnostics: [...(found[index] ?? [])].sort(),
      code: code
        ?.split('\n')
        .filter((line) => !line.trim().startsWith('// join: '))
        .join('\n')
        .replaceAll(new RegExp(`\\bgetW${index}\\b`, 'g'), 'getAny')
        .replaceAll(new RegExp(`/w${index}\\b`, 'g'), '/any'),
    };
  });
}
