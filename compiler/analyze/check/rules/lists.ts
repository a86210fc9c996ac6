/** Checks lists: `list` and `item` of a schema, the listed value, and `@`. */
import type { Schema, SchemaField } from '../../../read/config/config-model.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression, Path, Syntax } from '../../../read/expression/ast.js';
import { ownType, type OwnType } from '../../../read/expression/node-kinds.js';
import { printSteps } from '../../../read/expression/parse/path.js';
import { writtenNames } from '../../../read/expression/written-names.js';
import type { Span } from '../../../read/source.js';
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import { eachSchema } from '../each-schema.js';
import { type OperationSite, rule } from '../rule.js';
import { contains, nodesIn } from '../../../read/expression/visit.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports `loop` and `list` with a value that is certainly not a list (a string, a number, a condition), or is always empty. */
export const notAList = rule(
  {
    'not-a-list': error(
      { field: words('list', 'loop'), what: 'sentence', instead: 'text' },
      (p: { field: 'loop' | 'list'; what: string; instead: string | undefined }) => ({
        message: `'${p.field}' needs a list, but this is ${p.what}.`,
        hint:
          p.instead === undefined
            ? 'Write VALUE(<fulfillment>, $) for the rows of a result, or LIST(10) for the integers from 0 to 9.'
            : `Write ${p.instead}.`,
        instead: p.instead,
        isSuggestion: true,
      }),
    ),
    'empty-list': warning(
      { field: words('list', 'loop'), item: 'text' },
      (p: { field: 'loop' | 'list'; item: string }) => ({
        message: `This '${p.field}' is always empty.`,
        hint: `Write the number of elements, from 1, such as LIST(3).${p.field === 'list' ? ` For a constant [], write ${p.item}.` : ''}`,
      }),
    ),
  },
  ({ report }) => {
    const check = (field: 'loop' | 'list', expression: Expression | undefined, syntax: Syntax): void => {
      if (expression === undefined) return;
      const { span } = expression;
      const what = noLists[ownType(expression)];
      if (what !== null) report('not-a-list', span, { field, what, instead: insteadOf(expression) });
      else if (isEmpty(expression))
        report('empty-list', span, { field, item: syntax === 'A' ? 'item: NULL()' : 'item: null' });
    };
    const see = (schema: Schema, { operation: { syntax } }: OperationSite): void => {
      if (schema.kind !== 'array') return;
      // An empty list of nothing is a constant [].
      const isMeant =
        isEmpty(schema.list) && schema.item.kind === 'leaf' && schema.item.value.kind === 'null';
      if (!isMeant) check('list', schema.list, syntax);
    };
    return {
      ...eachSchema(see),
      fulfillment: (fulfillment, site) => {
        if (fulfillment.type === 'LOOP') check('loop', fulfillment.loop, site.operation.syntax);
        eachSchema(see).fulfillment?.(fulfillment, site);
      },
    };
  },
);

/** Type names in messages; null for types that may be lists. */
const noLists: Readonly<Record<OwnType, string | null>> = {
  string: 'a string',
  timestamp: 'a string',
  uuid: 'a string',
  integer: 'a number',
  number: 'a number',
  status: 'a number',
  boolean: 'true or false',
  null: null,
  integers: null,
  rows: null,
  unknown: null,
};

/** The suggestion: TEXT(news) was meant as the rows of 'news', SIZE(x) as x or as LIST(SIZE(x)), 3 as LIST(3). */
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

/** Reports `list` or `loop` over a single row of a result: an object's elements are its fields, with `key` and `val`. */
export const listOfRow = rule(
  {
    'list-of-row': warning({ name: 'text', instead: 'text' }, (p: { name: string; instead: string }) => ({
      message: `This is one row of '${p.name}': its elements are its columns, as 'key' and 'val'.`,
      hint: `Write ${p.instead} for all rows.`,
      instead: p.instead,
      isSuggestion: true,
    })),
  },
  ({ analysis, report }) => {
    const check = (
      list: Expression,
      fields: readonly string[],
      { operation, analyzed }: OperationSite,
    ): void => {
      if (list.kind !== 'value' || list.path.length !== 1 || list.path[0]?.kind !== 'index') return;
      if (fields.length === 0 || fields.some((field) => field === 'key' || field === 'val')) return;
      const { name } = list;
      const isOfRows = analyzed.fulfillments.every(({ fulfillment }) => {
        if (fulfillment.name.value !== name) return true;
        const isData = fulfillment.type === 'READ' || fulfillment.type === 'UPDATE';
        return isData && analysis.datasource(fulfillment.datasource.value)?.type === 'db';
      });
      if (!isOfRows) return;
      const instead = operation.syntax === 'A' ? `VALUE(${name}, $)` : name;
      report('list-of-row', list.span, { name, instead });
    };
    let reads: { readonly name: string; readonly path: Path }[] = [];
    return {
      ...eachSchema((schema, site) => {
        if (schema.kind === 'array') check(schema.list, fieldsOfElement(schema.item), site);
      }),
      value: (node) => {
        reads.push(node);
      },
      operationEnd: (_, site) => {
        for (const { fulfillment } of site.analyzed.fulfillments) {
          if (fulfillment.type !== 'LOOP' || fulfillment.loop === undefined) continue;
          const fields = reads.flatMap(({ name, path: [first] }) =>
            name === fulfillment.name.value && first?.kind === 'name' ? [first.name] : [],
          );
          check(fulfillment.loop, fields, site);
        }
        reads = [];
      },
    };
  },
);

/** The names of the fields that an item reads from its element. */
function fieldsOfElement(item: Schema): string[] {
  switch (item.kind) {
    case 'array':
      // A nested item reads a different element.
      return fieldsIn(item.list);
    case 'object':
      return item.fields.flatMap(({ value }) => fieldsOfElement(value));
    case 'leaf':
      return fieldsIn(item.value);
  }
}

function fieldsIn(expression: Expression): string[] {
  return nodesIn(expression).flatMap((node) => {
    const [first] = node.kind === 'element' ? node.path : [];
    return first?.kind === 'name' ? [first.name] : [];
  });
}

/** Reports schema maps that are almost a list: `lis` or `itme`, or a third key next to `list` and `item`. */
export const listAndItem = rule(
  {
    'list-and-item': warning(
      { problem: 'sentence', hint: 'sentence' },
      (p: { problem: string; hint: string }) => ({
        message: `This is an object, not a list: ${p.problem}.`,
        hint: p.hint,
      }),
    ),
  },
  ({ report }) =>
    eachSchema((schema, _, hasElement) => {
      if (schema.kind !== 'object') return;
      const { fields } = schema;
      const list = fields.find(({ key }) => key === 'list');
      const item = fields.find(({ key }) => key === 'item');
      const other = fields.find(({ key }) => key !== 'list' && key !== 'item');
      if (other === undefined) return;
      const meant = list === undefined ? 'list' : 'item';
      const isSlip =
        fields.length === 2 && (list === undefined) !== (item === undefined) && isSlipOf(other.key, meant);
      if (isSlip) {
        const problem = `'${other.key}' is not '${meant}'`;
        report('list-and-item', other.span, { problem, hint: `Did you mean '${meant}'?` });
        return;
      }
      // Without an enclosing element, every `@` is already an error.
      if (list === undefined || item === undefined || !hasElement || !readsElement(item.value)) return;
      report('list-and-item', other.span, {
        problem: `besides 'list' and 'item' it has '${other.key}'`,
        hint: `Move '${other.key}' one level up. To build an object, rename 'list' or 'item'.`,
      });
    }),
);

/**
 * Whether the word has a simple typo (two characters swapped, one missing or doubled): `itme`, `lis`, `itemm`. Other words, such as
 * `items`, may be intended.
 */
function isSlipOf(written: string, word: string): boolean {
  const all = Array.from(word).flatMap((character, at) => {
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    const next = after.charAt(0);
    return [
      before + after,
      before + character + character + after,
      before + next + character + after.slice(1),
    ];
  });
  return written !== word && all.includes(written);
}

/** Whether the schema reads `@`. Inside another list, `@` is an element of that list. */
function readsElement(schema: Schema): boolean {
  switch (schema.kind) {
    case 'object':
      return schema.fields.some(({ value }) => readsElement(value));
    case 'array':
      return contains(schema.list, 'element');
    case 'leaf':
      return contains(schema.value, 'element');
  }
}

/** Reports `@` outside of an item or loop, where there is no current element. */
export const elementOutsideItem = rule(
  {
    'element-outside-item': error(
      { read: 'text', list: 'text' },
      (p: { read: string | undefined; list: string }) => ({
        message: "'@' is only allowed inside a loop or under 'item'.",
        hint:
          p.read === undefined
            ? `For each element of a list write 'list: ${p.list}' and 'item:', and read '@' under 'item'.`
            : `Write ${p.read} to read a result; for each of its rows write 'list: ${p.list}' and read '@' under 'item'.`,
        // A single missing or misspelled key causes all of these errors.
        subject: '@',
      }),
    ),
  },
  ({ report }) => ({
    element: ({ span, path }, { scope, operation: { syntax }, analyzed }) => {
      if (scope.hasElement) return;
      const name = likelySource(span, analyzed);
      const steps = printSteps(path);
      report('element-outside-item', span, {
        read:
          name === undefined ? undefined : syntax === 'A' ? `VALUE(${name}, $${steps})` : `${name}${steps}`,
        list: syntax === 'A' ? `VALUE(${name ?? 'news'}, $)` : (name ?? 'news'),
      });
    },
  }),
);

/** The last preceding fulfillment, whose rows are probably meant. */
function likelySource({ start }: Span, { fulfillments }: AnalyzedOperation): string | undefined {
  const before = fulfillments.filter(({ fulfillment }) => fulfillment.name.span.start < start);
  const last =
    before.findLast(({ fulfillment }) => fulfillment.type === 'READ') ??
    before.findLast(({ fulfillment }) => fulfillment.type !== 'LOOP');
  return last?.fulfillment.name.value;
}

/** Reports schema keys that JavaScript objects move to the front, although output keys keep the configuration's order. */
export const keyOutOfOrder = rule(
  {
    'key-out-of-order': warning({ key: 'text' }, (p: { key: string }) => ({
      message: `The key '${p.key}' is first in the response: JSON objects order integer keys first.`,
      hint: 'Rename the key if the order matters.',
    })),
  },
  ({ report }) => {
    const check = (schema: Schema | undefined): void => {
      for (const { key, span } of schema === undefined ? [] : movedKeys(schema))
        report('key-out-of-order', span, { key });
    };
    return {
      response: ({ schema }) => {
        check(schema);
      },
      request: ({ body, multipart }) => {
        check(body);
        const fields = multipart.map(({ name, value }): SchemaField => {
          return { key: name.value, span: name.span, value: { kind: 'leaf', value } };
        });
        check({ kind: 'object', fields });
      },
    };
  },
);

/** An integer below 2^32 - 1, written without leading zeros. */
const wholeNumber = /^(?:0|[1-9]\d{0,9})$/;

function movedKeys(schema: Schema): { readonly key: string; readonly span: Span }[] {
  switch (schema.kind) {
    case 'leaf':
      return [];
    case 'array':
      return movedKeys(schema.item);
    case 'object': {
      const inside = schema.fields.flatMap(({ value }) => movedKeys(value));
      const own = schema.fields.filter(({ key }, index) => wholeNumber.test(key) && isMoved(schema, index));
      return [...own.map(({ key, span }) => ({ key, span })), ...inside];
    }
  }
}

/** Whether a key that comes later in the JSON output is written before this one. */
function isMoved({ fields }: Extract<Schema, { kind: 'object' }>, index: number): boolean {
  const own = Number(fields[index]?.key);
  return fields.slice(0, index).some(({ key }) => !wholeNumber.test(key) || Number(key) > own);
}
