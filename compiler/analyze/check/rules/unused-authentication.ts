/** Authentications that no operation uses. */
import type { Config } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { rule } from '../rule.js';

export const unusedAuthentication = rule(
  {
    'unused-authentication': warning((p: { name: string }) => ({
      message: `Unused authentication '${p.name}': no operation accepts it.`,
      hint: "Add it to 'authentications' of an operation, or remove it.",
    })),
  },
  ({ analysis, report }) => {
    const used = usedBy(analysis.config);
    return {
      authentication: ({ name }) => {
        if (!used.has(name.value)) report('unused-authentication', name.span, { name: name.value });
      },
    };
  },
);

/** An operation that names none accepts all of them. A misspelt name counts as the intended one: it has been reported. */
function usedBy({ operations, authentications }: Config): ReadonlySet<string> {
  const all = authentications.map(({ name }) => name.value);
  const asking = operations.filter(({ endpoint }) => endpoint !== undefined);
  const meant = (name: string): string => (all.includes(name) ? name : (nearest(name, all) ?? name));
  return new Set(
    asking.flatMap((operation) => operation.authentications?.map(({ value }) => meant(value)) ?? all),
  );
}
