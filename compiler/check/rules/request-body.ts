/** Which requests can have a body, and of which kind (decisions 6.4). */
import type { Rule } from '../rule.js';
import { requestsOf } from '../requests.js';

export const requestBody: Rule = (config, report) => {
  for (const { request } of requestsOf(config)) {
    const method = request.httpType.value;
    const [body, multipart] = [request.fields.get('body'), request.fields.get('multipart')];
    if (method === 'GET' || method === 'HEAD') {
      if (body !== undefined) report.add('body-without-method', body, { field: 'body', method });
      if (multipart !== undefined)
        report.add('body-without-method', multipart, { field: 'multipart', method });
    } else if (body !== undefined && multipart !== undefined) {
      report.add('body-and-multipart', multipart.start > body.start ? multipart : body);
    }
  }
};
