/** The options of database URLs that are understood (decisions 5.9). */

/** Options whose values are never secret. */
export const publicUrlOptions: readonly string[] = [
  ...['sslmode', 'ssl', 'useSSL', 'requireSSL', 'verifyServerCertificate', 'currentSchema'],
  ...['connectTimeout', 'loginTimeout', 'socketTimeout', 'ApplicationName', 'prepareThreshold', 'pipelining'],
  ...['serverTimezone', 'connectionTimeZone', 'targetServerType', 'loadBalanceHosts'],
];

/** All options that are understood. */
export const urlOptions: readonly string[] = ['user', 'password', ...publicUrlOptions];
