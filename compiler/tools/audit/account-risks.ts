/** Log-ins and sessions: answers that reveal accounts, cookies that scripts or other sites can use, and changes that a 401 undoes. */
import { isOpen } from '../../analyze/operations/authentications/accepted.js';
import { MadeSecrets } from '../../analyze/operations/secrets/made-secrets.js';
import type {
  ComputeFulfillment,
  Exception,
  Fulfillment,
  Operation,
  TemplateHeader,
} from '../../read/config/config-model.js';
import { exceptionsOf, leavesOf, nodesOf } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { nodesIn } from '../../read/expression/visit.js';
import type { Span } from '../../read/source.js';
import type { ServiceView } from '../explain/service-view.js';
import type { Risk } from './risk.js';

export function accountRisks(view: ServiceView): Risk[] {
  const secrets = new MadeSecrets((name) => view.analysis.operation(name));
  return view.operations
    .flatMap(({ checked: { operation } }) => [
      ...earlyAnswers(operation),
      ...weakCookies(operation, secrets),
      ...undoneChanges(operation, view),
      ...unlimitedGuesses(operation, view),
    ])
    .concat(unlimitedAccounts(view));
}

/** Operations for everybody that verify a password, also by calls of other operations, without a limit on the number of requests. */
function unlimitedGuesses(operation: Operation, { plan, analysis }: ServiceView): Risk[] {
  const { name, endpoint } = operation;
  if (endpoint === undefined || !isOpen(plan.access.get(name.value) ?? [])) return [];
  const called = [...analysis.withCalled(operation)];
  const verifies = called.flatMap(nodesOf).some(({ kind }) => kind === 'verify');
  // Limits of an optional authentication do not count requests without credentials.
  const limits = [...analysis.config.settings.limits, ...operation.limits];
  if (!verifies || limits.length > 0) return [];
  return [
    {
      ...{ rule: 'unlimited-guesses', severity: 'medium', span: name.span },
      message: `Everybody can guess passwords with '${name.value}', as often as the service responds.`,
      hint: 'Write limits: [{ by: ADDRESS(), times: 30, within: 15m, count: refused }], and a second one by the name of the account together with the address.',
    },
  ];
}

/** Accounts that an operation finds, and whose passwords can be guessed without a limit. */
function unlimitedAccounts({ analysis: { config } }: ServiceView): Risk[] {
  if (config.settings.limits.length > 0) return [];
  return config.authentications.flatMap((authentication): Risk | [] => {
    const { name, type, limits } = authentication;
    if (type !== 'basicauth' || authentication.operation === undefined || limits.length > 0) return [];
    return {
      ...{ rule: 'unlimited-guesses', severity: 'medium', span: name.span },
      message: `Everybody can guess passwords of '${name.value}', as often as the service responds.`,
      hint: 'Write limits: [{ by: [PARAM(user), ADDRESS()], times: 10, within: 15m, count: refused }].',
    };
  });
}

/** Conditions between the statement that reads a hash and its VERIFY: an unknown account is answered sooner than a wrong password. */
function earlyAnswers({ fulfillments }: Operation): Risk[] {
  return fulfillments.flatMap((computed, end) => {
    if (computed.type !== 'COMPUTE') return [];
    return hashesOf(computed).flatMap((name) => {
      const begin = fulfillments.findIndex((one) => one.name.value === name);
      if (begin === -1 || begin >= end) return [];
      const before = fulfillments.slice(begin, end);
      const found = [
        ...before.flatMap(({ exceptions }) =>
          exceptions.map(({ span }) => ({ span, what: 'This exception' })),
        ),
        ...[...before.slice(1), computed].flatMap((one) => conditionOn(name, one)),
      ];
      return found.map(({ span, what }): Risk => {
        return {
          ...{ rule: 'early-answer', severity: 'medium', span },
          message: `${what} is evaluated after '${name}', which reads a hash, and before its VERIFY in '${computed.name.value}': the duration of the response reveals which accounts exist.`,
          hint: `Evaluate it after '${computed.name.value}': VERIFY of a missing hash is false, and takes as long as a wrong password.`,
        };
      });
    });
  });
}

/** The fulfillments from which the hashes of VERIFY come. */
function hashesOf({ schema }: ComputeFulfillment): string[] {
  const nodes = schema === undefined ? [] : leavesOf(schema).flatMap((leaf) => nodesIn(leaf));
  const hashes = nodes.flatMap((node) => (node.kind === 'verify' ? nodesIn(node.hash) : []));
  return [...new Set(hashes.flatMap(nameRead))];
}

function nameRead(node: Expression): string[] {
  return 'nameSpan' in node ? [node.name] : [];
}

/** The `if` of a fulfillment, where it reads that result. */
function conditionOn(name: string, { if: condition }: Fulfillment): { span: Span; what: string }[] {
  const isOn = condition !== undefined && nodesIn(condition).flatMap(nameRead).includes(name);
  return isOn ? [{ span: condition.span, what: "This 'if'" }] : [];
}

const attributes = ['HttpOnly', 'Secure', 'SameSite'];

/** Cookies with a secret that the operation made. */
function weakCookies(operation: Operation, secrets: MadeSecrets): Risk[] {
  const holders: readonly { readonly header: readonly TemplateHeader[] }[] = [
    ...operation.responses,
    ...exceptionsOf(operation),
  ];
  return holders.flatMap(({ header }) =>
    header.flatMap(({ name, value, valueSpan }): Risk | [] => {
      if (name.value.toLowerCase() !== 'set-cookie') return [];
      if (!value.some((part) => typeof part !== 'string' && secrets.isIn(part, operation))) return [];
      const written = value.filter((part) => typeof part === 'string').join('');
      const missing = attributes.filter(
        (attribute) => !new RegExp(`;\\s*${attribute}\\b`, 'i').test(written),
      );
      if (missing.length === 0) return [];
      return {
        ...{ rule: 'weak-cookie', severity: 'medium', span: valueSpan },
        message: `This cookie has a secret of '${operation.name.value}', and lacks ${missing.join(', ')}.`,
        hint: 'End it with ; HttpOnly; Secure; SameSite=Lax (or Strict): scripts cannot read it, it is only sent over TLS, and other sites cannot use it.',
      };
    }),
  );
}

/** Changes that are rolled back where a later exception refuses the caller: a stolen session stays. */
function undoneChanges({ transaction, fulfillments }: Operation, view: ServiceView): Risk[] {
  if (!transaction) return [];
  return fulfillments.flatMap(({ exceptions }, index) => {
    const change = fulfillments
      .slice(0, index)
      .find((one) => one.type === 'UPDATE' && view.analysis.datasource(one.datasource.value)?.type === 'db');
    return change === undefined
      ? []
      : exceptions.filter(isRefusal).map((exception) => undone(exception, change));
  });
}

function isRefusal({ statuscode }: Exception): boolean {
  return statuscode === 401;
}

function undone({ span }: Exception, { name }: Fulfillment): Risk {
  return {
    ...{ rule: 'undone-change', severity: 'medium', span },
    message: `This exception undoes the change of '${name.value}': changes of a refusal, such as the end of the sessions of a stolen token, are lost.`,
    hint: `Send the 401 as a response with an 'if', which commits the change, unless the change of '${name.value}' must not stay.`,
  };
}
