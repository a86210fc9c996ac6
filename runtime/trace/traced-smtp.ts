/** A mail server that records its mails in traces, and shows them to the developer. */
import { channel } from 'node:diagnostics_channel';
import type { Outcome } from '../outbox/outcome.js';
import { ExchangeError } from '../smtp/failure.js';
import type { UnsignedMail } from '../smtp/mail.js';
import { SmtpDatasource, type MailDefinition, type SendMail, type SmtpDefinition } from '../smtp/smtp.js';
import { currentScope } from './recording.js';
import type { MessageStep } from './steps.js';

/** A mail as developers see it. */
export interface ShownMail extends UnsignedMail {
  readonly datasource: string;
  /** The reason why the mail was not sent; `the url is empty` if there was no attempt. */
  readonly notSent?: string;
}

/** Why there was no attempt. */
const unsent = 'the url is empty';

/** Mails that have been sent, or would have been. */
const mails = channel('apikiln.mail');

/** Declares the mail server. */
export function tracedSmtp(definition: SmtpDefinition): TracedSmtp {
  return new TracedSmtp(definition);
}

export class TracedSmtp extends SmtpDatasource {
  override message(definition: MailDefinition): SendMail {
    const send = super.message(definition);
    const { fulfillment } = definition;
    return async (call, mail) => {
      const scope = currentScope();
      if (scope === undefined) return send(call, mail);
      const step: MessageStep = { kind: 'message', fulfillment, datasource: this.name };
      await scope.timed(step, () => send(call, mail));
      step.status = this.isSending ? 'sent' : `not sent: ${unsent}`;
    };
  }

  override async attempt(...attempt: Parameters<SmtpDatasource['attempt']>): Promise<Outcome> {
    const outcome = await super.attempt(...attempt);
    return outcome.state === 'sent' && !this.isSending ? { ...outcome, unsent } : outcome;
  }

  protected override async deliver(mail: UnsignedMail, time: number): Promise<void> {
    const show = (notSent?: string): void => {
      const shown = { ...mail, datasource: this.name, ...(notSent === undefined ? {} : { notSent }) };
      mails.publish(shown satisfies ShownMail);
    };
    try {
      await super.deliver(mail, time);
    } catch (error) {
      if (error instanceof ExchangeError) show(error.problem.reason);
      throw error;
    }
    show(this.isSending ? undefined : unsent);
  }
}
