/** Why a mail was not sent. */
import type { CallSite } from '../rest/failure.js';
import { ServiceError } from '../handler/reply.js';

/**
 * The reason why a mail was not sent (FAILURE): the server does not respond (`unreachable`, `timeout`), or refuses the mail for now
 * (`deferred`) or for good (`refused`).
 */
export type MailFailureKind = 'unreachable' | 'timeout' | 'deferred' | 'refused';

/** The facts of a failure, without addresses or texts of the server. */
export interface MailProblem {
  readonly kind: MailFailureKind;
  /** For the log. */
  readonly reason: string;
  /** The status of the server, if it responded. */
  readonly status?: number | undefined;
}

/** An exchange with a server that did not end with a mail accepted for all recipients. */
export class ExchangeError extends Error {
  constructor(readonly problem: MailProblem) {
    super(problem.reason);
  }
}

/** A mail that was not sent. */
export class MailFailure extends ServiceError {
  readonly kind: MailFailureKind;

  constructor({ kind, reason, status }: MailProblem, callSite: CallSite) {
    super(kind === 'timeout' ? 504 : 502, messages[kind], {
      log: { ...callSite, reason, ...(status === undefined ? {} : { smtpStatus: status }) },
    });
    this.kind = kind;
  }
}

const messages: Readonly<Record<MailFailureKind, string>> = {
  unreachable: 'The mail server is not reachable',
  timeout: 'The mail server took too long',
  deferred: 'The mail server does not accept the message now',
  refused: 'The mail server does not accept the message',
};
