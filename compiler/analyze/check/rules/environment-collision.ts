/** Names that are one name in the environment: datasources, headers of one datasource, and authentications. */
import { upperSnake } from '../../../../runtime/server/upper-snake.js';
import { error, firstDefinedAt } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { WithSpan, Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const environmentCollision = rule(
  {
    'environment-collision': error((p: { name: string; other: string; variable: string; first: Span }) => ({
      message: `'${p.name}' and '${p.other}' have the same environment variable ${p.variable}.`,
      hint: 'Rename one of them.',
      related: firstDefinedAt(p.first),
    })),
  },
  ({ report }) => {
    const [datasources, authentications] = [
      new Map<string, WithSpan<string>>(),
      new Map<string, WithSpan<string>>(),
    ];
    const take = (name: WithSpan<string>, prefix: string, taken: Map<string, WithSpan<string>>): void => {
      const variable = upperSnake(name.value);
      const other = taken.get(variable);
      if (other === undefined) taken.set(variable, name);
      else
        report('environment-collision', name.span, {
          ...{ name: name.value, other: other.value, variable: prefix + variable },
          first: other.span,
        });
    };
    return {
      datasource: ({ name, header }) => {
        take(name, 'DATASOURCE_', datasources);
        // The same header twice is another error.
        const byName = new Map(header.map((field) => [field.name.value.toLowerCase(), field.name]));
        const headers = new Map<string, WithSpan<string>>();
        for (const field of byName.values())
          take(field, `DATASOURCE_${upperSnake(name.value)}_HEADER_`, headers);
      },
      authentication: ({ name }) => {
        take(name, 'AUTHENTICATION_', authentications);
      },
    };
  },
);
