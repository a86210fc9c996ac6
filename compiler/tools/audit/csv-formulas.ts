/** CSV responses with strings that spreadsheets would run as formulas. */
import type { ServiceView } from '../explain/service-view.js';
import type { Risk } from './risk.js';

export function csvFormulas({ operations }: ServiceView): Risk[] {
  return operations.flatMap(({ plan, checked }) =>
    plan.responses.flatMap(({ name, content, schema }): Risk | [] => {
      const response = checked.operation.responses.find((one) => one.name.value === name);
      if (content?.kind !== 'csv' || content.spreadsheet || response?.contentType === undefined) return [];
      const fields = schema?.kind === 'array' && schema.item.kind === 'object' ? schema.item.fields : [];
      const strings = fields.filter(({ value }) => {
        const kinds = checked.analyzed.flow.built.get(value)?.kinds;
        return kinds === undefined || kinds.has('string');
      });
      const [first, ...others] = strings.map(({ key }) => `'${key}'`);
      if (first === undefined) return [];
      const columns = others.length === 0 ? `column ${first}` : `columns ${[first, ...others].join(', ')}`;
      return {
        rule: 'csv-formula',
        severity: 'low',
        span: response.contentType.span,
        message: `A spreadsheet evaluates strings of the ${columns} that begin with = + - @ as formulas.`,
        hint: 'If people open this CSV in a spreadsheet, write spreadsheet: true. Without it, programs receive the strings unchanged.',
      };
    }),
  );
}
