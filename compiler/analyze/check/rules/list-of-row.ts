/** `list` or `loop` over one row of a result: an object yields its fields, as elements with `key` and `val` (decisions 7.3). */
import type { Schema } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression, Path } from '../../../read/expression/ast.js';
import { visit } from '../../../read/expression/visit.js';
import { eachSchema } from '../each-schema.js';
import { rule, type OperationSite } from '../rule.js';

export const listOfRow = rule(
  {
    'list-of-row': warning((p: { name: string; instead: string }) => ({
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

/** The names of the fields that an item reads of its element. */
function fieldsOfElement(item: Schema): string[] {
  switch (item.kind) {
    case 'array':
      // Its own item reads another element.
      return fieldsIn(item.list);
    case 'object':
      return item.fields.flatMap(({ value }) => fieldsOfElement(value));
    case 'leaf':
      return fieldsIn(item.value);
  }
}

function fieldsIn(expression: Expression): string[] {
  const names: string[] = [];
  visit(expression, (node) => {
    const [first] = node.kind === 'element' ? node.path : [];
    if (first?.kind === 'name') names.push(first.name);
  });
  return names;
}
