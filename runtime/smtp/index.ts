/** Exports for services that send mails. */
export { htmlLink, htmlLinkPart, htmlText } from './html.js';
export { smtp, type MailOutcome } from './smtp.js';
