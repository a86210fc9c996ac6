/** Values of a call that are secret although no setting has them: random strings, passwords, hashes, and what SHA256 reads. */
import { channel } from 'node:diagnostics_channel';

/** `apikiln test` and the recorder of `apikiln dev` listen, to mask these values in what they print and write. */
const secrets = channel('apikiln.secret');

/** Publishes a secret to those who mask it. Call it before the value is sent anywhere. */
export function noteSecret(value: string): void {
  if (secrets.hasSubscribers) secrets.publish(value);
}
