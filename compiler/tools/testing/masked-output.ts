/** Masks secrets of calls (random strings, passwords, hashes) in the output of failed tests. */
import type { Finding } from './compare-response.js';
import type { Change } from './compare-values.js';

/** Shorter secrets also occur in ordinary words. */
const shortest = 5;

const mask = '***';

export class MaskedOutput {
  readonly #forms: readonly string[];

  constructor(secrets: Iterable<string>) {
    const forms = [...secrets]
      .filter((secret) => secret.length >= shortest)
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
    // A longer secret may contain a shorter one.
    this.#forms = [...new Set(forms)].sort((a, b) => b.length - a.length);
  }

  /** The text with asterisks instead of secrets, also instead of a secret cut off at the end of a shortened value. */
  text(text: string): string {
    const whole = this.#forms.reduce((left, secret) => left.replaceAll(secret, mask), text);
    return whole.split('…').reduce((left, part) => `${this.#withoutBeginning(left)}…${part}`);
  }

  /** The finding without secrets. An update never writes one to the test file. */
  finding({ change, message, ...others }: Finding): Finding {
    const isSecret = change !== undefined && this.#isIn(change);
    return {
      ...others,
      message: this.text(message),
      ...(change === undefined || isSecret ? {} : { change }),
    };
  }

  #withoutBeginning(text: string): string {
    for (const secret of this.#forms)
      for (let length = secret.length - 1; length >= shortest; length -= 1)
        if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}${mask}`;
    return text;
  }

  #isIn(change: Change): boolean {
    if (change.kind === 'remove') return false;
    const written = JSON.stringify(change.actual) as string | undefined;
    return written !== undefined && this.#forms.some((secret) => written.includes(secret));
  }
}
