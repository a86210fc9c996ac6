/** `loop` and `list` over what is certainly no list (decisions 7.3, 7.7): a string, a number, a condition, or an empty list. */
import type { Schema } from '../../../read/config/config-model.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { writtenNames } from '../../../read/expression/written-names.js';
import { eachSchema } from '../each-schema.js';
import { rule } from '../rule.js';

export const notAList = rule(
  {
    'not-a-list': error((p: { field: 'loop' | 'list'; what: string; instead: string | undefined }) => ({
      message: `'${p.field}' needs a list, but this is ${p.what}.`,
      hint:
        p.instead === undefined
          ? 'Write VALUE(<fulfillment>, $) for the rows of a result, or LIST(10) for the integers from 0 to 9.'
          : `Write ${p.instead}.`,
      instead: p.instead,
      isSuggestion: true,
    })),
    'empty-list': warning((p: { field: 'loop' | 'list' }) => ({
      message: `This '${p.field}' is always empty.`,
      hint: 'Write the number of elements, from 1, such as LIST(3).',
    })),
  },
  ({ report }) => {
    const check = (field: 'loop' | 'list', expression: Expression | undefined): void => {
      if (expression === undefined) return;
      const { span } = expression;
      const what = whatOf(expression);
      if (what !== null) report('not-a-list', span, { field, what, instead: insteadOf(expression) });
      else if (isEmpty(expression)) report('empty-list', span, { field });
    };
    const see = (schema: Schema): void => {
      if (schema.kind === 'array') check('list', schema.list);
    };
    return {
      ...eachSchema(see),
      fulfillment: (fulfillment, site) => {
        if (fulfillment.type === 'LOOP') check('loop', fulfillment.loop);
        eachSchema(see).fulfillment?.(fulfillment, site);
      },
    };
  },
);

/** What is certainly no list, in words; null for what may be one. */
function whatOf({ kind }: Expression): string | null {
  switch (kind) {
    case 'text':
      return 'a string';
    case 'number':
    case 'size':
    case 'status':
      return 'a number';
    case 'boolean':
    case 'comparison':
    case 'logical':
    case 'not':
      return 'true or false';
    case 'null':
    case 'param':
    case 'sent':
    case 'body':
    case 'value':
    case 'element':
    case 'result':
    case 'value-by-index':
    case 'list':
    case 'multipart-file':
      return null;
  }
}

/** TEXT(news) was meant as the rows of 'news', SIZE(x) as x, or as LIST(SIZE(x)); 3 as LIST(3). */
function insteadOf(expression: Expression): string | undefined {
  const { source, start, end } = expression.span;
  const written = source.text.slice(start, end);
  if (expression.kind === 'number') return `LIST(${expression.value})`;
  if (expression.kind === 'text' && written.startsWith('TEXT(') && writtenNames(source).has(expression.value))
    return `VALUE(${expression.value}, $)`;
  return expression.kind === 'size' && written.startsWith('SIZE(') ? written.slice(5, -1).trim() : undefined;
}

function isEmpty(expression: Expression): boolean {
  if (expression.kind !== 'list') return false;
  const { count } = expression;
  return count.kind === 'number' && count.value === 0;
}
