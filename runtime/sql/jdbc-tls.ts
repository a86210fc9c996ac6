/** Which encryption a database URL asks for. */
import type { JdbcProblem } from './jdbc-problem.js';
import type { DatabaseKind } from './database-kind.js';

/**
 * `off`: none. `encrypt`: encrypted, whoever the server is. `verify-ca`: its certificate must come from an authority
 * that this machine trusts. `verify-full`: and name the host. Authorities of one's own are given to Node
 * (NODE_EXTRA_CA_CERTS).
 */
export type Tls = 'off' | 'encrypt' | 'verify-ca' | 'verify-full';

/**
 * `prefer` and `allow` leave the choice to the driver; the choice here is no encryption, since one that anybody in the
 * middle can turn off protects nothing. Who needs it writes `require` or more.
 */
const modes = new Map<string, Tls>([
  ['disable', 'off'],
  ['disabled', 'off'],
  ['allow', 'off'],
  ['prefer', 'off'],
  ['preferred', 'off'],
  ['require', 'encrypt'],
  ['required', 'encrypt'],
  ['trust', 'encrypt'],
  ['verify-ca', 'verify-ca'],
  ['verify_ca', 'verify-ca'],
  ['verify-full', 'verify-full'],
  ['verify_full', 'verify-full'],
  ['verify_identity', 'verify-full'],
]);

/** Takes the options that speak of encryption. `sslmode` decides where it is given; then the older switches. */
export function describeTls(
  take: (name: string) => string | undefined,
  dialect: DatabaseKind,
  problems: JdbcProblem[],
): Tls {
  const mode = take('sslmode');
  const ssl = isOn(take('ssl'));
  const useSsl = isOn(take('useSSL'));
  const requireSsl = isOn(take('requireSSL'));
  const verify = isOn(take('verifyServerCertificate'));
  const factory = take('sslfactory');
  if (factory !== undefined && !/NonValidatingFactory$/.test(factory)) {
    problems.push({
      severity: 'warning',
      message: "the option 'sslfactory' is ignored",
      hint: 'Certificates of your own authority are given to Node: NODE_EXTRA_CA_CERTS=<file>.',
    });
  }
  if (mode !== undefined) {
    const tls = modes.get(mode.toLowerCase());
    if (tls !== undefined) return tls;
    problems.push({
      severity: 'error',
      message: "the option 'sslmode' has an unknown value",
      hint: 'Write disable, allow, prefer, require, verify-ca or verify-full.',
    });
    return 'off';
  }
  // PostgreSQL's driver takes `ssl=true` for verify-full, unless it is told to trust everybody.
  if (ssl && dialect === 'postgresql')
    return factory?.endsWith('NonValidatingFactory') === true ? 'encrypt' : 'verify-full';
  if (ssl || useSsl || requireSsl) return verify ? 'verify-full' : 'encrypt';
  return 'off';
}

/** `ssl` alone means `ssl=true`. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && (value === '' || value.toLowerCase() === 'true');
}
