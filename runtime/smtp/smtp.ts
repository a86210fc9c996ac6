/** Mail servers: sends the mails of operations. */
import { randomUUID } from 'node:crypto';
import { noteChange, type Call } from '../handler/call.js';
import { ServiceError } from '../handler/reply.js';
import type { CallSite } from '../rest/failure.js';
import { again, refused, type Outcome } from '../outbox/outcome.js';
import type { Claimed } from '../outbox/store.js';
import { describeError } from '../server/log.js';
import { readCheckedSetting } from '../server/checked-setting.js';
import type { CallOutcome, Observer } from '../server/contracts.js';
import type { Environment } from '../server/environment.js';
import { upperSnake } from '../server/environment-reference.js';
import type { DatasourceSettings } from '../server/settings.js';
import { senderOf } from './address-form.js';
import { ExchangeError, MailFailure, type MailFailureKind } from './failure.js';
import { checkedMail, type CheckedMail, type Mail, type OutgoingMail, type UnsignedMail } from './mail.js';
import { parseSmtpUrl, type MailServer } from './smtp-url.js';

/** The configuration of a mail server, except the URL and the sender. */
export interface SmtpDefinition {
  readonly name: string;
  /** Time limit of a mail, in seconds; 30 by default. */
  readonly timeout?: number;
}

/** The configuration of a mail, without the values of a call. */
export interface MailDefinition {
  /** The names of the operation and the fulfillment, for logs. */
  readonly operation: string;
  readonly fulfillment: string;
}

/** The result of a mail with `onFailure: continue`. */
export interface MailOutcome {
  /** Null if the server has accepted the mail for all recipients. */
  readonly failure: MailFailureKind | null;
}

/** Sends a mail. Throws a ServiceError: 400 for values that no mail can have, 502 or 504 if the server does not accept the mail. */
export type SendMail = (call: Call, mail: Mail) => Promise<void>;

/** Like SendMail, but a mail that is not accepted is a result. */
export type TryMail = (call: Call, mail: Mail) => Promise<MailOutcome>;

/** Sends a mail within the given milliseconds. Throws an ExchangeError. */
type Exchange = (server: MailServer, mail: OutgoingMail, time: number) => Promise<void>;

/** Declares a mail server. */
export function smtp(definition: SmtpDefinition): SmtpDatasource {
  return new SmtpDatasource(definition);
}

export class SmtpDatasource {
  readonly name: string;
  /** With an empty URL, no mail is sent. */
  readonly needsUrl = false;
  /** The time limit of a mail, in milliseconds. */
  readonly timeout: number;
  private server: MailServer | undefined;
  private exchange: Exchange | undefined;
  private sender: OutgoingMail['from'] | undefined;
  private observer: Observer | undefined;

  constructor({ name, timeout = 30 }: SmtpDefinition) {
    this.name = name;
    this.timeout = timeout * 1000;
  }

  readSettings(environment: Environment): void {
    const problemOf = (text: string): string | undefined =>
      senderOf(text) === undefined ? 'is not a sender such as Shop <shop@example.com>' : undefined;
    const from = readCheckedSetting(environment, ['datasource', this.name], 'from', {
      isSecret: false,
      problemOf,
    });
    this.sender = from === undefined ? undefined : senderOf(from);
  }

  /** Loads nodemailer, unless no mail is sent. */
  async load({ url }: DatasourceSettings): Promise<{ readonly exchange: Exchange } | undefined> {
    return url.trim() === '' ? undefined : import('./exchange.js');
  }

  /** Applies the settings without connecting. Throws an Error whose message does not contain secrets. */
  open(
    { url, user, password }: DatasourceSettings,
    _warn?: (warning: string) => void,
    loaded?: { readonly exchange?: Exchange },
  ): readonly string[] {
    if (url.trim() === '') return [`DATASOURCE_${upperSnake(this.name)}_URL is empty, so no mail is sent`];
    const server = parseSmtpUrl(url);
    if (typeof server === 'string') throw new Error(`its url cannot be used: ${server}`);
    this.exchange = loaded?.exchange;
    this.server = { ...server, user: user || server.user, password: password || server.password };
    return [];
  }

  /** Reports every mail to the observer from now on. */
  observe(observer: Observer): void {
    this.observer = observer;
  }

  close(): void {
    // Each mail has a separate connection.
  }

  /** Creates a mail. */
  message({ operation, fulfillment }: MailDefinition): SendMail {
    const callSite = { datasource: this.name, operation, fulfillment };
    return async (call, mail) => {
      call.proceed();
      const checked = checkedMail(mail);
      noteChange(call);
      await this.sendWithin(call, checked, callSite);
    };
  }

  /** Creates a mail whose FAILURE is read. The deadline of the call and invalid values still end the call. */
  messageOrFailure(definition: MailDefinition): TryMail {
    const send = this.message(definition);
    return async (call, mail) => {
      try {
        await send(call, mail);
        return { failure: null };
      } catch (error) {
        if (!(error instanceof MailFailure)) throw error;
        call.proceed();
        return { failure: error.kind };
      }
    };
  }

  /**
   * The stored forms of a mail, one for each recipient: the server may refuse one of them and accept the others. Throws a ServiceError 400
   * for values that no mail can have.
   */
  contentsOf(mail: Mail): string[] {
    const checked = checkedMail(mail);
    const messageId = randomUUID();
    return this.recipientsOf(checked).map((recipients) =>
      JSON.stringify({ ...checked, messageId, recipients } satisfies UnsignedMail),
    );
  }

  /** Sends a stored mail. Never fails. */
  async attempt(
    row: Pick<Claimed, 'content' | 'attempts' | 'timeLeft'>,
    timeLimit: number,
  ): Promise<Outcome> {
    try {
      const mail = JSON.parse(row.content ?? '') as UnsignedMail;
      await this.deliver(mail, Math.min(timeLimit, this.timeout));
      return { state: 'sent' };
    } catch (error) {
      if (!(error instanceof ExchangeError))
        return refused(`it cannot be sent: ${describeError(error).type}`);
      const { kind, reason } = error.problem;
      return kind === 'refused' ? refused(reason) : again(row, reason);
    }
  }

  /** The recipients of each stored form. */
  protected recipientsOf({ to, cc }: CheckedMail): string[][] {
    return [...new Set([...to, ...cc])].map((recipient) => [recipient]);
  }

  private async sendWithin(call: Call, mail: CheckedMail, callSite: CallSite): Promise<void> {
    const timeOfCall = call.deadline - performance.now();
    const recipients = [...new Set([...mail.to, ...mail.cc])];
    try {
      await this.deliver(
        { ...mail, messageId: randomUUID(), recipients },
        Math.min(timeOfCall, this.timeout),
      );
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      const failure = new MailFailure(error.problem, callSite);
      if (failure.kind !== 'timeout' || timeOfCall > this.timeout) throw failure;
      // The whole call is over, whatever the fulfillment does after a failure.
      throw new ServiceError(504, failure.message, failure.details);
    }
  }

  /** Sends a mail within the given milliseconds, unless the URL is empty. Throws an ExchangeError. */
  protected async deliver(mail: UnsignedMail, time: number): Promise<void> {
    const { server, sender, exchange } = this;
    if (sender === undefined) throw new Error(`the datasource ${this.name} has no sender`);
    const [, domain] = sender.address.split('@');
    const outgoing = { ...mail, from: sender, messageId: `<${mail.messageId}@${domain}>` };
    if (server !== undefined && exchange !== undefined)
      await this.observed(() => exchange(server, outgoing, time));
  }

  /** False if the URL is empty. */
  protected get isSending(): boolean {
    return this.server !== undefined;
  }

  private async observed(sending: () => Promise<void>): Promise<void> {
    const start = performance.now();
    let outcome: CallOutcome = 'failed';
    try {
      await sending();
      outcome = '2xx';
    } catch (error) {
      if (error instanceof ExchangeError) outcome = outcomes[error.problem.kind];
      throw error;
    } finally {
      this.observer?.thirdPartyCalled(this.name, outcome, (performance.now() - start) / 1000);
    }
  }
}

const outcomes: Readonly<Record<MailFailureKind, CallOutcome>> = {
  unreachable: 'failed',
  timeout: 'timeout',
  deferred: '4xx',
  refused: '5xx',
};
