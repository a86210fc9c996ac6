/** A mail server as a service opens it. */
import { Environment } from '../../../runtime/server/environment.js';
import { SmtpDatasource, type SmtpDefinition } from '../../../runtime/smtp/smtp.js';

export async function opened(
  url: string,
  definition: Partial<SmtpDefinition> = {},
  from = 'Shop <shop@example.com>',
  Datasource: typeof SmtpDatasource = SmtpDatasource,
): Promise<SmtpDatasource> {
  const datasource = new Datasource({ name: 'mail', ...definition });
  const environment = new Environment({ DATASOURCE_MAIL_FROM: from }, '');
  datasource.readSettings(environment);
  if (environment.problems.length > 0) throw new Error(environment.problems.join());
  const settings = { url, responseLimit: 0 };
  datasource.open(settings, () => undefined, await datasource.load(settings));
  return datasource;
}
