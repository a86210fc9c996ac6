/** The callers that the test page of `apikiln dev` can log in as: accounts and keys of the configuration, and callers of the tests. */
import { createHash } from 'node:crypto';
import type { Authentication } from '../../read/config/config-model.js';
import type { TestCaller } from '../testing/test-callers.js';
import type { Caller, Maker } from './dev-credentials.js';

/** An authentication in the form that the page receives. */
export interface LoginAuthentication {
  readonly name: string;
  /** With `jwt`, the page can also choose the claims. */
  readonly type: NonNullable<Authentication['type']> | undefined;
  /** Why `dev` has no credentials. */
  readonly problem: string | undefined;
  readonly callers: readonly { readonly id: string; readonly label: string }[];
}

/** A caller that is offered. */
interface Offered {
  /** Unique for its authentication, and the same after a restart. Never a secret. */
  readonly id: string;
  readonly label: string;
  readonly caller: Caller;
}

/** `tests`: the callers of the tests. */
export function loginAuthentication(maker: Maker, tests: readonly TestCaller[]): LoginAuthentication {
  const { authentication, problem } = maker;
  const offered = offeredBy(maker, tests);
  return {
    name: authentication.name.value,
    type: authentication.type,
    problem: offered.length > 0 ? undefined : problem,
    callers: offered.map(({ id, label }) => ({ id, label })),
  };
}

/** Undefined if the caller is not offered. */
export function callerWithId(maker: Maker, id: string, tests: readonly TestCaller[]): Caller | undefined {
  return offeredBy(maker, tests).find((one) => one.id === id)?.caller;
}

function offeredBy({ authentication, problem, user }: Maker, tests: readonly TestCaller[]): Offered[] {
  const ofTests = tests.filter((one) => one.authentication === authentication.name.value);
  switch (authentication.type) {
    case 'basicauth':
      return problem === undefined ? [{ id: '', label: user?.() ?? '', caller: {} }] : [];
    case 'signature':
      return problem === undefined ? [{ id: '', label: 'signed requests', caller: {} }] : [];
    case 'jwt':
      return problem === undefined
        ? ofTests.map(({ claims }) => ({ id: digest(claims), label: labelOf(claims), caller: { claims } }))
        : [];
    case 'apikey':
      return authentication.operation === undefined
        ? authentication.keys.map(({ name: { value: key } }) => ({ id: key, label: key, caller: { key } }))
        : ofTests.map(({ key, test }) => ({
            id: digest(key),
            label: `the key of the test '${test}'`,
            caller: { key },
          }));
    case 'custom':
    case undefined:
      return [];
  }
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

/** `ada · tenant 1`. The claim `sub` is `test` unless the test sets it. */
function labelOf({ sub = 'test', ...others }: TestCaller['claims']): string {
  const shown = Object.entries(others).map(([name, value]) => `${name} ${textOf(value)}`);
  return [sub === null ? 'without sub' : textOf(sub), ...shown].join(' · ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
