/** Names that are one name in the environment: datasources, headers of one datasource, and authentications. */
import { upperSnake } from '../../../runtime/server/upper-snake.js';
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import type { Located } from '../../source.js';
import { rule } from '../rule.js';

export const environmentCollision = rule(
  {
    'environment-collision': error((p: { name: string; other: string; variable: string }) => ({
      message: `'${p.name}' and '${p.other}' are one name in the environment (${p.variable}), so they would share their settings.`,
      hint: 'Give one of them another name.',
    })),
  },
  ({ report }) => {
    const [datasources, authentications] = [new Map<string, string>(), new Map<string, string>()];
    const take = (
      { value: name, place }: Located<string>,
      prefix: string,
      taken: Map<string, string>,
    ): void => {
      const variable = upperSnake(name);
      const other = taken.get(variable);
      if (other === undefined) taken.set(variable, name);
      else report('environment-collision', place, { name, other, variable: prefix + variable });
    };
    return {
      datasource: ({ name, header }) => {
        take(name, 'DATASOURCE_', datasources);
        // The same header twice is another mistake.
        const byName = new Map(header.map((field) => [field.name.value.toLowerCase(), field.name]));
        const headers = new Map<string, string>();
        for (const field of byName.values())
          take(field, `DATASOURCE_${upperSnake(name.value)}_HEADER_`, headers);
      },
      authentication: ({ name }) => {
        take(name, 'AUTHENTICATION_', authentications);
      },
    };
  },
);
