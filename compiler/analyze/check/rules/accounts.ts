/** Authentications, and the accounts of datasources. */
import { problemOfCredential } from '../../../../runtime/authentication/basic-credential.js';
import { replaceReferences } from '../../../../runtime/server/environment-reference.js';
import type { Config } from '../../../read/config/config-model.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import type { Span, WithSpan } from '../../../read/source.js';
import { rule } from '../rule.js';

/** Operations that name an authentication which is not there (decisions 9.4). */
export const unknownAuthentication = rule(
  {
    'unknown-authentication': error(
      (p: { name: string; nearest: string | undefined; names: readonly string[] }) => ({
        message: `Unknown authentication '${p.name}'.`,
        hint:
          p.name.trim() === ''
            ? 'Write the name of an authentication; or [] for an operation without credentials.'
            : p.nearest !== undefined
              ? `Did you mean '${p.nearest}'?`
              : `Add it to the section 'authentications'${p.names.length === 0 ? '' : `, which has ${p.names.map((name) => `'${name}'`).join(', ')}`}.`,
        instead: p.nearest,
        isSuggestion: !isUnambiguous(p.name, p.names),
        subject: p.name,
      }),
    ),
  },
  ({ analysis, report }) => {
    const known = new Set(analysis.config.authentications.map(({ name }) => name.value));
    return {
      operation: ({ authentications = [] }) => {
        for (const { value, span } of authentications) {
          if (known.has(value)) continue;
          report('unknown-authentication', span, {
            name: value,
            nearest: nearest(value, known),
            names: [...known],
          });
        }
      },
    };
  },
);

/** An authentication that an operation names a second time. */
export const authenticationTwice = rule(
  {
    'authentication-twice': warning((p: { name: string; first: Span }) => ({
      message: `Duplicate authentication '${p.name}'.`,
      hint: 'Remove one of the two.',
      related: [{ span: p.first, message: 'first named here' }],
    })),
  },
  ({ analysis, report }) => {
    const known = new Set(analysis.config.authentications.map(({ name }) => name.value));
    return {
      operation: ({ authentications = [] }) => {
        const seen = new Map<string, Span>();
        for (const { value, span } of authentications) {
          const first = seen.get(value);
          if (first === undefined) seen.set(value, span);
          else if (known.has(value)) report('authentication-twice', span, { name: value, first });
        }
      },
    };
  },
);

/** Authentications of an operation that no request reaches. */
export const authenticationsWithoutEndpoint = rule(
  {
    'authentications-without-endpoint': warning((p: { name: string }) => ({
      message: `'authentications' has no effect: no request reaches operation '${p.name}'.`,
      hint: 'Remove it. Timers and reference calls need no credentials.',
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint, fields }) => {
      const span = fields.get('authentications');
      if (endpoint === undefined && span !== undefined)
        report('authentications-without-endpoint', span, { name: name.value });
    },
  }),
);

/** Authentications that no operation uses. */
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

/** Two authentications with the same user and password. The same user with two passwords may be a change of password. */
export const sameAccount = rule(
  {
    'same-account': warning((p: { name: string; first: Span }) => ({
      message: `Same user and password as authentication '${p.name}'.`,
      hint: 'Give it another user, or remove one of the two.',
      related: [{ span: p.first, message: 'the same account' }],
    })),
  },
  ({ report }) => {
    const seen = new Map<string, WithSpan<string>>();
    return {
      authentication: ({ name, user, password }) => {
        if (user === undefined || password === undefined) return;
        const key = JSON.stringify([user.value, password.value]);
        const other = seen.get(key);
        if (other !== undefined) report('same-account', user.span, { name: other.value, first: other.span });
        else seen.set(key, name);
      },
    };
  },
);

/** Users and passwords that HTTP Basic cannot carry, as far as they are written in the configuration (RFC 7617). */
export const wrongCredential = rule(
  {
    'wrong-credential': error((p: { field: string; name: string; problem: string }) => ({
      message: `The ${p.field} of authentication '${p.name}' ${p.problem}.`,
      hint:
        p.field === 'user'
          ? "Use any string without colons and control characters, or a reference such as '${ADMIN_USER}'."
          : "Use any string without control characters, or a reference such as '${ADMIN_PASSWORD}'.",
    })),
  },
  ({ report }) => ({
    authentication: ({ name, ...account }) => {
      for (const field of ['user', 'password'] as const) {
        const text = account[field];
        if (text === undefined) continue;
        const written = replaceReferences(text.value, () => '');
        // What a reference brings is looked at when the service starts.
        const problem = written === '' && text.value !== '' ? undefined : problemOfCredential(field, written);
        if (problem !== undefined)
          report('wrong-credential', text.span, { field, name: name.value, problem });
      }
    },
  }),
);
