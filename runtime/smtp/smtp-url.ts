/** The URL of a mail server: `smtp://mail.example.com:587`. Pure, because the compiler checks URLs with it. */

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** Whether TLS begins with the connection (`smtps:`); otherwise STARTTLS is required, except on the same machine. */
  readonly isSecure: boolean;
  readonly isLocal: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** Parses the URL; returns why it cannot be used, without secrets, as the end of a sentence. */
export function parseSmtpUrl(text: string): MailServer | string {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return 'it is not a URL such as smtp://mail.example.com:587';
  }
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')
    return "it begins with neither 'smtp://' nor 'smtps://'";
  if (url.hostname === '') return 'it has no host';
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    return 'it has something after the host and port';
  const isSecure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined) return 'its user or password is not percent-encoded';
  return {
    host,
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    isSecure,
    isLocal: /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host),
    user: user === '' ? undefined : user,
    password: password === '' ? undefined : password,
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
