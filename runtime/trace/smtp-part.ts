/** Exports for services with a test page that send mails. */
export { tracedSmtp } from './traced-smtp.js';
