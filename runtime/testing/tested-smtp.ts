/** A mail server under test: all mails are sent to the stub server, as JSON. */
import { upperSnake } from '../server/environment-reference.js';
import { ExchangeError } from '../smtp/failure.js';
import type { CheckedMail, UnsignedMail } from '../smtp/mail.js';
import type { SmtpDefinition } from '../smtp/smtp.js';
import { TracedSmtp } from '../trace/traced-smtp.js';

/** Declares the mail server. The environment variable STUB_<NAME> contains the URL of the stub server. */
export function testedSmtp(definition: SmtpDefinition): TestedSmtp {
  return new TestedSmtp(definition);
}

class TestedSmtp extends TracedSmtp {
  /** All mails go to the stub server. */
  override open(): readonly string[] {
    return [];
  }

  protected override get isSending(): boolean {
    return true;
  }

  /** A test expects a mail once, whatever the number of recipients. */
  protected override recipientsOf({ to, cc }: CheckedMail): string[][] {
    return [[...new Set([...to, ...cc])]];
  }

  /** The status of the stub is that of a mail server: 250, 4xx or 5xx. */
  protected override async deliver({ messageId: _, recipients: __, ...mail }: UnsignedMail): Promise<void> {
    const stub = process.env[`STUB_${upperSnake(this.name)}`] ?? 'http://127.0.0.1:9';
    let status: number;
    try {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(stub, { method: 'POST', headers, body: JSON.stringify(mail) });
      ({ status } = response);
    } catch {
      throw new ExchangeError({ kind: 'unreachable', reason: 'the mail server is not reachable' });
    }
    if (status < 300) return;
    const kind = status < 500 ? 'deferred' : 'refused';
    throw new ExchangeError({ kind, reason: `status ${status}`, status });
  }
}
