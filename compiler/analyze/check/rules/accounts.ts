/** Checks authentications of each type, their use in operations, the fields of callers, and datasource accounts. */
import { utf8Length } from '../../../read/bytes.js';
import { problemOfKey } from '../../../../runtime/apikey/key-problem.js';
import { problemOfCredential } from '../../../../runtime/basicauth/basic-credential.js';
import { allAlgorithms, allPublicAlgorithms, secretAlgorithms } from '../../../../runtime/jwt/algorithms.js';
import { problemOfJwks } from '../../../../runtime/server/secure-address.js';
import { problemOfPasswordHash } from '../../../../runtime/password-hash/password-hash.js';
import { replaceReferences } from '../../../read/config/environment-reference.js';
import type {
  Authentication,
  AuthenticationType,
  KnownAuthentication,
  Config,
  Operation,
} from '../../../read/config/config-model.js';
import { allFulfillments, nodesOf, withCalled } from '../../../read/config/walk.js';
import { error, meantOr, warning, type Wording } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression } from '../../../read/expression/ast.js';
import type { ScalarText, Span, WithSpan } from '../../../read/source.js';
import {
  securityDifference,
  type KnownAccepted,
  type SecurityDifference,
} from '../../describe/security-difference.js';
import { writtenSecurity } from '../../../read/openapi/security.js';
import type { Analysis } from '../../operations/analysis.js';
import { finderOf, acceptedBy } from '../../operations/authentications/accepted.js';
import { hasContext } from '../../operations/statements/row-context.js';
import { knownFields } from '../../types/known-fields.js';
import { descriptionRuleOfWhole, rule } from '../rule.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';

/** Reports operations that list an unknown authentication. */
export const unknownAuthentication = rule(
  {
    'unknown-authentication': error(
      { name: 'text', nearest: 'suggestion', names: 'text' },
      (p: { name: string; nearest: string | undefined; names: readonly string[] }) => ({
        message: `Unknown authentication '${p.name}'.`,
        hint:
          p.name.trim() === ''
            ? 'Write the name of an authentication; or [] for an operation without credentials.'
            : p.nearest !== undefined
              ? `Did you mean '${p.nearest}'?`
              : `Add it to the section 'authentications'${p.names.length === 0 ? '' : `, which has ${quotedList(p.names)}`}.`,
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

/** Reports authentications that an operation lists twice. */
export const authenticationTwice = rule(
  {
    'authentication-twice': warning({ name: 'text' }, (p: { name: string; first: Span }) => ({
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

/** Reports authentications of operations that do not have an endpoint. */
export const authenticationsWithoutEndpoint = rule(
  {
    'authentications-without-endpoint': warning({ name: 'text' }, (p: { name: string }) => ({
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

/** Reports authentications that no operation uses. */
export const unusedAuthentication = rule(
  {
    'unused-authentication': warning({ name: 'text' }, (p: { name: string }) => ({
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

/**
 * The names of used authentications. A misspelled name (already reported) counts as the intended one, and an operation with unclear
 * authentications counts as using all.
 */
function usedBy(config: Config): ReadonlySet<string> {
  const { operations, authentications } = config;
  const all = authentications.map(({ name }) => name.value);
  const asking = operations.filter(({ endpoint }) => endpoint !== undefined);
  const meant = (name: string): string => (all.includes(name) ? name : (nearest(name, all) ?? name));
  // Other services can accept the tokens that this one issues.
  const issues = authentications.some((one) => one.type === 'jwt' && one.issue !== undefined);
  const nodes = issues ? operations.flatMap(nodesOf) : [];
  return new Set([
    ...asking.flatMap((operation) => acceptedBy(operation, config)?.map(({ value }) => meant(value)) ?? all),
    ...nodes.flatMap((node) => (node.kind === 'token' ? [meant(node.authentication)] : [])),
  ]);
}

/** Reports authentications with the same user and password. The same user with different passwords may be a change of password. */
export const sameAccount = rule(
  {
    'same-account': warning({ name: 'text' }, (p: { name: string; first: Span }) => ({
      message: `Same user and password as authentication '${p.name}'.`,
      hint: 'Give it another user, or remove one of the two.',
      related: [{ span: p.first, message: 'the same account' }],
    })),
  },
  ({ report }) => {
    const seen = new Map<string, WithSpan<string>>();
    return {
      authentication: (authentication) => {
        if (authentication.type !== 'basicauth') return;
        const { name, user, password } = authentication;
        if (user === undefined || password === undefined) return;
        const key = JSON.stringify([user.value, password.value]);
        const other = seen.get(key);
        if (other !== undefined) report('same-account', user.span, { name: other.value, first: other.span });
        else seen.set(key, name);
      },
    };
  },
);

/** Reports users and passwords that HTTP Basic cannot transmit (RFC 7617), as far as they are constants. */
export const wrongCredential = rule(
  {
    'wrong-credential': error(
      { field: 'text', name: 'text', problem: 'sentence' },
      (p: { field: string; name: string; problem: string }) => ({
        message: `The ${p.field} of authentication '${p.name}' ${p.problem}.`,
        hint:
          p.field === 'user'
            ? "Use any string without colons and control characters, or a reference such as '${ADMIN_USER}'."
            : "Use any string without control characters, or a reference such as '${ADMIN_PASSWORD}'.",
      }),
    ),
  },
  ({ report }) => ({
    authentication: (authentication) => {
      if (authentication.type !== 'basicauth') return;
      const { name, ...account } = authentication;
      for (const field of ['user', 'password'] as const) {
        const text = account[field];
        if (text === undefined) continue;
        const written = replaceReferences(text.value, () => '');
        // Environment references are checked when the service starts.
        const problem = written === '' && text.value !== '' ? undefined : problemOfCredential(field, written);
        if (problem !== undefined)
          report('wrong-credential', text.span, { field, name: name.value, problem });
      }
    },
  }),
);

/** Groups of fields of which an authentication needs exactly one. */
const alternatives: Readonly<Record<AuthenticationType, readonly (readonly string[])[]>> = {
  basicauth: [
    ['user', 'operation'],
    ['password', 'passwordHash', 'operation'],
  ],
  jwt: [['jwks', 'key']],
  apikey: [
    ['header', 'query', 'cookie', 'scheme'],
    ['keys', 'operation'],
  ],
  signature: [],
  custom: [],
};

/** Reports fields that exclude each other. */
export const oneOfFields = rule(
  {
    'one-of-fields': error(
      { name: 'text', found: 'text', fields: 'text' },
      (p: { name: string; found: readonly string[]; fields: readonly string[] }) => ({
        message:
          p.found.length === 0
            ? `Authentication '${p.name}' needs one of ${quotedList(p.fields)}.`
            : `Authentication '${p.name}' sets ${quotedList(p.found, ' and ')}, but only one is allowed.`,
        hint:
          p.found.length === 0
            ? `Add ${quotedList(p.fields, ' or ')}.`
            : `Keep one of them: ${quotedList(p.fields, ' or ')}.`,
      }),
    ),
    'several-custom': error({ name: 'text' }, (p: { name: string; first: Span }) => ({
      message: `'${p.name}' is a second authentication of type custom.`,
      hint: 'Keep one: `setCaller` of src/middleware.ts names the caller of a single authentication. Distinguish callers by a field of the caller.',
      related: [{ span: p.first, message: 'the first one' }],
    })),
  },
  ({ report }) => {
    let custom: Authentication | undefined;
    return {
      authentication: (authentication) => {
        const { name, type, fields } = authentication;
        for (const group of type === undefined ? [] : alternatives[type]) {
          const found = group.filter((field) => fields.has(field));
          // A missing password has already been reported together with other fields.
          if (found.length === 1 || (found.length === 0 && type === 'basicauth')) continue;
          const span = fields.get(found[1] ?? '') ?? name.span;
          report('one-of-fields', span, { name: name.value, found, fields: group });
          // Both groups of an account are about its operation.
          if (type === 'basicauth') break;
        }
        if (type !== 'custom') return;
        if (custom !== undefined)
          report('several-custom', name.span, { name: name.value, first: custom.name.span });
        custom ??= authentication;
      },
    };
  },
);

/** Reports constant values with which no service would start. */
export const wrongAuthentication = rule(
  {
    'wrong-authentication': error(
      { what: 'sentence', name: 'text', problem: 'sentence', hint: 'sentence' },
      (p: { what: string; name: string; problem: string; hint: string }) => ({
        message: `The ${p.what} of authentication '${p.name}' ${p.problem}.`,
        hint: p.hint,
      }),
    ),
    'unknown-algorithm': error(
      { algorithm: 'text', known: 'text', nearest: 'suggestion' },
      (p: { algorithm: string; known: readonly string[]; nearest: string | undefined }) => ({
        message: `Tokens with this key are not signed with '${p.algorithm}'.`,
        ...meantOr(p.nearest, `Write some of ${p.known.join(', ')}.`),
        isSuggestion: true,
      }),
    ),
  },
  ({ report }) => ({
    authentication: (authentication) => {
      const { name } = authentication;
      const check = (
        what: string,
        text: ScalarText | undefined,
        problemOf: (value: string) => string | undefined,
        hint: string,
      ): void => {
        const problem = text && problemOf(text.value);
        if (text === undefined || problem === undefined || text.value.includes('${')) return;
        report('wrong-authentication', text.span, { what, name: name.value, problem, hint });
      };
      const checkName = (field: 'header' | 'cookie', text: WithSpan<string> | undefined): void => {
        if (text === undefined || isToken(text.value)) return;
        report('wrong-authentication', text.span, {
          ...{ what: field, name: name.value, problem: `is not the name of a ${field}` },
          hint: field === 'header' ? 'Write a name such as X-Api-Key.' : 'Write a name such as session.',
        });
      };
      const hashHint = 'Write the output of `apikiln hash`, or a reference such as ${ADMIN_PASSWORD_HASH}.';
      switch (authentication.type) {
        case 'basicauth':
          check('passwordHash', authentication.passwordHash, problemOfPasswordHash, hashHint);
          break;
        case 'jwt': {
          const { jwks, key, algorithms, cookie, issue } = authentication;
          check('jwks', jwks, problemOfJwks, 'Write the address that the issuer publishes, with https.');
          check(
            'key',
            key,
            problemOfWrittenKey,
            'Write a reference such as ${TOKEN_KEY}, with a longer secret.',
          );
          for (const signing of issue?.keys ?? [])
            check(
              'signing key',
              signing,
              problemOfWrittenSigningKey,
              'Write a reference such as ${SIGNING_KEY}, with a longer secret or a private key.',
            );
          checkName('cookie', cookie);
          const known = [
            ...new Set([...algorithmsOf(key), ...(issue?.keys ?? []).flatMap(algorithmsOfSigning)]),
          ];
          for (const { value, span } of algorithms)
            if (!known.includes(value))
              report('unknown-algorithm', span, { algorithm: value, known, nearest: nearest(value, known) });
          break;
        }
        case 'apikey': {
          const { keys, header, cookie, scheme, prefix } = authentication;
          for (const key of keys)
            check(
              `key '${key.name.value}'`,
              key.value,
              (value) => problemOfKey(value, { prefix: prefix?.value, scheme: scheme?.value }),
              `Create one with \`apikiln hash --new-key\`${prefix === undefined ? '' : `, and write ${prefix.value} before it`}; write it, or sha256: and its digest.`,
            );
          if (scheme !== undefined && (!isToken(scheme.value) || /^basic$/i.test(scheme.value)))
            report('wrong-authentication', scheme.span, {
              ...{ what: 'scheme', name: name.value },
              problem: isToken(scheme.value) ? 'has credentials of another type' : 'is not a single word',
              hint: 'Write a word such as Bearer.',
            });
          if (prefix !== undefined && !/^[\x21-\x7e]+$/.test(prefix.value))
            report('wrong-authentication', prefix.span, {
              ...{ what: 'prefix', name: name.value, problem: 'has a space, or a character beyond ASCII' },
              hint: 'Write a beginning such as tk_.',
            });
          checkName('header', header);
          checkName('cookie', cookie);
          if (header !== undefined && /^(?:authorization|cookie)$/i.test(header.value))
            report('wrong-authentication', header.span, {
              what: 'header',
              name: name.value,
              problem: `is ${header.value}, which has credentials of another type`,
              hint: 'Use another header, such as X-Api-Key; type jwt for tokens; or the field cookie.',
            });
          break;
        }
        case 'signature':
        case 'custom':
        case undefined:
          break;
      }
    },
  }),
);

/** Whether the text is a token of HTTP (RFC 9110). */
function isToken(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

/** The signature algorithms possible for tokens with this key. */
function algorithmsOf(key: ScalarText | undefined): readonly string[] {
  if (key?.value.includes('${') === true) return allAlgorithms;
  return key === undefined || key.value.includes('-----BEGIN ') ? allPublicAlgorithms : secretAlgorithms;
}

function algorithmsOfSigning(key: ScalarText): readonly string[] {
  return key.value.includes('${') ? allAlgorithms : algorithmsOf(key);
}

function problemOfWrittenSigningKey(value: string): string | undefined {
  if (!value.includes('-----BEGIN ')) return problemOfWrittenKey(value);
  return value.includes('PRIVATE KEY') ? undefined : 'is a public key, which cannot sign';
}

function problemOfWrittenKey(value: string): string | undefined {
  if (value.includes('PRIVATE KEY')) return 'is a private key, which only the issuer needs';
  return value.includes('-----BEGIN ') || utf8Length(value) >= 32 ? undefined : 'is shorter than 32 bytes';
}

/** Reports operations with unclear access, or with requirements that an authentication does not support. */
export const unnamedAuthentications = rule(
  {
    'unnamed-authentications': error(
      { name: 'text', names: 'text' },
      (p: { name: string; names: readonly string[]; onlySignatures: boolean }) => ({
        message: `Operation '${p.name}' has to name its authentications.`,
        hint: p.onlySignatures
          ? `A signature is accepted only where it is named: write 'authentications: [${p.names.join(', ')}]', or [] if everybody may call it.`
          : `There are several types: write 'authentications: […]' with some of ${p.names.join(', ')}, or 'default: true' in the authentications that operations without a list accept.`,
        isOfOperation: true,
      }),
    ),
    'no-scopes': error({ name: 'text', type: 'word' }, (p: { name: string; type: string }) => ({
      message: `Callers of '${p.name}' have no scopes: it is of type ${p.type}.`,
      hint: "Remove 'scopes', or name an authentication of type jwt or custom, or one with an operation.",
    })),
  },
  ({ analysis, report }) => {
    const { config } = analysis;
    const known = new Map(config.authentications.map((one) => [one.name.value, one]));
    return {
      operation: (operation) => {
        const { name, endpoint, authentications = [] } = operation;
        // An unreadable list has been reported.
        const isNamed = operation.fields.has('authentications');
        if (endpoint !== undefined && !isNamed && acceptedBy(operation, config) === undefined) {
          const onlySignatures = config.authentications.every(({ type }) => type === 'signature');
          report('unnamed-authentications', name.span, {
            ...{ name: name.value, names: [...known.keys()], onlySignatures },
          });
        }
        for (const { value, scopes } of authentications) {
          const [first] = scopes;
          const authentication = known.get(value);
          if (first === undefined || authentication?.type === undefined || hasScopes(authentication))
            continue;
          report('no-scopes', first.span, { name: value, type: authentication.type });
        }
      },
    };
  },
);

function hasScopes(authentication: KnownAuthentication): boolean {
  switch (authentication.type) {
    case 'jwt':
    case 'custom':
      return true;
    case 'basicauth':
    case 'apikey':
      return authentication.operation !== undefined;
    case 'signature':
      return false;
  }
}

/** Checks the operation that finds the caller of credentials. */
export const keyOperation = rule(
  {
    'key-operation': error(
      { operation: 'text', problem: 'sentence', hint: 'sentence', instead: 'text' },
      (p: { operation: string; problem: string } & Pick<Wording, 'hint' | 'instead'>) => ({
        message: `The operation '${p.operation}' ${p.problem}.`,
        hint: p.hint,
        instead: p.instead,
      }),
    ),
  },
  ({ analysis, report }) => ({
    authentication: (authentication) => {
      const named = finderOf(authentication);
      if (named === undefined || authentication.type === undefined) return;
      const found = problemOfOperation(named.value, authentication.type, analysis);
      if (found !== undefined) report('key-operation', named.span, { operation: named.value, ...found });
    },
  }),
);

/** The input that an operation must read to find a caller, by type of authentication. */
const readByFinders: Readonly<
  Record<
    'basicauth' | 'jwt' | 'apikey',
    Pick<Wording, 'hint'> & {
      readonly what: string;
      readonly example: string;
      readonly isRead: (node: Expression) => boolean;
    }
  >
> = {
  basicauth: {
    what: "the parameter 'user'",
    example: 'find account',
    hint: 'Compare a column with it: email = :[PARAM(user)].',
    isRead: (node) => node.kind === 'param' && node.name === 'user',
  },
  jwt: {
    what: 'CALLER, the claims of the token',
    example: 'find session',
    hint: 'Compare a column with a claim: id = :[CALLER($.sub)].',
    isRead: (node) => node.kind === 'caller',
  },
  apikey: {
    what: "the parameter 'key'",
    example: 'find key',
    hint: 'Compare a column with it: hash = :[PARAM(key)].',
    isRead: (node) => node.kind === 'param' && node.name === 'key',
  },
};

function problemOfOperation(
  name: string,
  type: AuthenticationType,
  { config: { operations, datasources }, types }: Analysis,
): ({ readonly problem: string } & Pick<Wording, 'hint' | 'instead'>) | undefined {
  if (type === 'signature' || type === 'custom') return undefined;
  const { what, example, hint, isRead } = readByFinders[type];
  const byName = new Map(operations.map((operation) => [operation.name.value, operation]));
  const operation = byName.get(name);
  if (operation === undefined) {
    const callable = operations.filter(({ endpoint }) => endpoint === undefined);
    const near = nearest(
      name,
      callable.map((one) => one.name.value),
    );
    return { problem: 'is not defined', ...meantOr(near, "Add it to the section 'operations'.") };
  }
  if (operation.endpoint !== undefined)
    return {
      problem: `has an endpoint, where anybody could try ${type === 'apikey' ? 'keys' : 'credentials'}`,
      hint: `Name an operation without one, such as ${example}.`,
    };
  if (operation.responses.length === 0)
    return {
      problem: 'has no response that could be the caller',
      hint: 'Add a response with the field sub.',
    };
  // Unreadable SQL has been reported.
  const isReported = [...withCalled([operation], byName)].some(hasUnreadSql);
  // The context of a datasource can read the claims for the statements of the operation.
  if (type === 'jwt' && datasources.some(hasContext)) return undefined;
  if (!isReported && !someRead(operation, byName, isRead)) return { problem: `does not read ${what}`, hint };
  const fields = type === 'basicauth' ? knownFields(types.responseType(name)) : undefined;
  return fields === undefined || fields.includes('passwordHash')
    ? undefined
    : {
        problem: "returns no field 'passwordHash', with which passwords are compared",
        hint: 'Add it to the schema of its response: passwordHash: VALUE(account, $.hash).',
      };
}

function hasUnreadSql({ fulfillments }: Operation): boolean {
  return allFulfillments(fulfillments).some(
    ({ fulfillment }) =>
      'instructions' in fulfillment && fulfillment.instructions.some(({ action }) => action === undefined),
  );
}

/** Whether the operation, or one that it calls, reads a matching value. */
function someRead(
  operation: Operation,
  byName: ReadonlyMap<string, Operation>,
  matches: (node: Expression) => boolean,
): boolean {
  return [...withCalled([operation], byName)].flatMap(nodesOf).some(matches);
}

/** Reports differences between the API description's security and an operation's authentications. */
export const securityDiffers = descriptionRuleOfWhole(
  {
    'security-differs': warning({ message: 'text', hint: 'sentence' }, (p: SecurityDifference) => ({
      ...p,
      isOfOperation: true,
    })),
  },
  ({ analysis, report, hasErrors }) => {
    const { config, description } = analysis;
    // Without authentications, src/middleware.ts may check the described credentials.
    const isCompared = config.authentications.length > 0 && !hasErrors();
    const written = isCompared && description ? writtenSecurity(description.written) : undefined;
    return {
      operation: (operation, { analyzed: { endpoint } }) => {
        if (written === undefined || endpoint === undefined) return;
        const accepted = (acceptedBy(operation, config) ?? []).flatMap((one) =>
          config.authentications
            .filter(({ name }) => name.value === one.value)
            .map((authentication): KnownAccepted => ({ accepted: one, authentication })),
        );
        const difference = securityDifference(operation, accepted, written.alternatives(endpoint));
        if (difference !== undefined) report('security-differs', operation.name.span, difference);
      },
    };
  },
);

/** Reports CALLER where nobody can be logged in. */
export const callerOfNobody = rule(
  {
    'caller-of-nobody': warning(
      { written: 'text', operation: 'text' },
      (p: { written: string; operation: string }) => ({
        message: `${p.written} is always null: '${p.operation}' accepts no credentials.`,
        hint: "Name the authentications of its callers: 'authentications: [users]'.",
        isOfOperation: true,
      }),
    ),
  },
  ({ analysis, report }) => {
    const { config } = analysis;
    const isOpen = config.authentications.length === 0;
    return {
      caller: ({ span }, { operation }) => {
        const { endpoint, name, syntax } = operation;
        const isNobody = isOpen || (endpoint !== undefined && acceptedBy(operation, config)?.length === 0);
        // Another operation may call this one for a caller.
        if (!isNobody || (!isOpen && analysis.called.has(name.value))) return;
        report('caller-of-nobody', span, {
          written: syntax === 'A' ? 'CALLER' : 'caller',
          operation: name.value,
        });
      },
    };
  },
);

/** Reports webhook signatures without a timestamp, which anybody who has seen the request can replay. */
export const unsignedTime = rule(
  {
    'unsigned-time': warning(
      { name: 'text', operation: 'text' },
      (p: { name: string; operation: string }) => ({
        message: `Anybody can send a request of '${p.name}' to '${p.operation}' again: its signature does not cover a time.`,
        hint: 'Store an id of the body, or HEADER(x-github-delivery), with an UPDATE whose column is unique.',
        isOfOperation: true,
      }),
    ),
  },
  ({ analysis, report }) => {
    const { config } = analysis;
    const timeless = new Set(
      config.authentications.flatMap((one) =>
        one.type === 'signature' && one.scheme?.value === 'github' ? [one.name.value] : [],
      ),
    );
    const byName = new Map(config.operations.map((operation) => [operation.name.value, operation]));
    return {
      operation: (operation) => {
        if (operation.endpoint === undefined) return;
        const signed = (operation.authentications ?? []).find(({ value }) => timeless.has(value));
        if (signed === undefined) return;
        const isStored = someRead(operation, byName, (node) => {
          const last = node.kind === 'body' ? node.path.at(-1) : undefined;
          if (last?.kind === 'name') return /id$/i.test(last.name);
          return node.kind === 'sent' && node.name.toLowerCase() === 'x-github-delivery';
        });
        if (!isStored)
          report('unsigned-time', signed.span, { name: signed.value, operation: operation.name.value });
      },
    };
  },
);
