/** Exports for services that send mails. */
export { smtp, type MailOutcome } from './smtp.js';
