/** Authentications by name: those that operations name, and those that nobody needs (decisions 9.4). */
import type { Config, Operation } from '../../config/config-model.js';
import type { Report } from '../../diagnostics/report.js';
import { nearest } from '../../diagnostics/suggest.js';
import type { Rule } from '../rule.js';

export const authentication: Rule = (config, report) => {
  const known = new Set(config.authentications.map(({ name }) => name.value));
  for (const operation of config.operations) checkNames(operation, known, report);
  const used = usedBy(config);
  for (const { name } of config.authentications)
    if (!used.has(name.value)) report.add('unused-authentication', name.place, { name: name.value });
};

function checkNames(
  { name, endpoint, authentications = [], fields }: Operation,
  known: ReadonlySet<string>,
  report: Report,
): void {
  const place = fields.get('authentications');
  if (endpoint === undefined && place !== undefined)
    report.add('authentications-without-endpoint', place, { name: name.value });
  const seen = new Set<string>();
  for (const { value, place } of authentications) {
    if (!known.has(value))
      report.add('unknown-authentication', place, {
        name: value,
        nearest: nearest(value, known),
        names: [...known],
      });
    else if (seen.has(value)) report.add('authentication-twice', place, { name: value });
    seen.add(value);
  }
}

/** An operation that names none takes every one. A misspelt name stands for the one that is meant: that has been told of. */
function usedBy({ operations, authentications }: Config): ReadonlySet<string> {
  const all = authentications.map(({ name }) => name.value);
  const asking = operations.filter(({ endpoint }) => endpoint !== undefined);
  const meant = (name: string): string => (all.includes(name) ? name : (nearest(name, all) ?? name));
  return new Set(
    asking.flatMap((operation) => operation.authentications?.map(({ value }) => meant(value)) ?? all),
  );
}
