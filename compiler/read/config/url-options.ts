/** The options of database URLs that are understood (decisions 5.9). */

/** Those that are no secret, whatever their value is. */
export const publicUrlOptions: readonly string[] = [
  ...['sslmode', 'ssl', 'useSSL', 'requireSSL', 'verifyServerCertificate', 'currentSchema'],
  ...['connectTimeout', 'loginTimeout', 'socketTimeout', 'ApplicationName', 'prepareThreshold', 'pipelining'],
  ...['serverTimezone', 'connectionTimeZone'],
];

/** All of them. */
export const urlOptions: readonly string[] = ['user', 'password', ...publicUrlOptions];
