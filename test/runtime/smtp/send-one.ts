/** Sends one mail to the URL of the command line, and prints why it was not sent: a process of its own trusts its own certificates. */
import { testCall } from '../../helpers/test-call.js';
import { opened } from './opened.js';

const mail = await opened(process.argv[2] ?? '');
const send = mail.messageOrFailure({ operation: 'POST /x', fulfillment: 'mail' });
const { failure } = await send(testCall(), { to: 'anna@example.com', subject: 'Hello', text: 'Hello' });
process.stdout.write(String(failure));
process.exit();
