/** Names that are one name in the environment: datasources, headers of one datasource, and authentications. */
import { upperSnake } from '../../../runtime/server/upper-snake.js';
import type { Located } from '../../source.js';
import type { Report } from '../../diagnostics/report.js';
import type { Rule } from '../rule.js';

export const environmentCollision: Rule = ({ datasources, authentications }, report) => {
  checkNames(
    authentications.map(({ name }) => name),
    'AUTHENTICATION_',
    report,
  );
  checkNames(
    datasources.map(({ name }) => name),
    'DATASOURCE_',
    report,
  );
  for (const { name, header } of datasources) {
    // The same header twice is another mistake.
    const byName = new Map(header.map((field) => [field.name.value.toLowerCase(), field.name]));
    checkNames([...byName.values()], `DATASOURCE_${upperSnake(name.value)}_HEADER_`, report);
  }
};

function checkNames(names: readonly Located<string>[], prefix: string, report: Report): void {
  const seen = new Map<string, string>();
  for (const { value, place } of names) {
    const variable = upperSnake(value);
    const other = seen.get(variable);
    if (other === undefined) seen.set(variable, value);
    else report.add('environment-collision', place, { name: value, other, variable: prefix + variable });
  }
}
