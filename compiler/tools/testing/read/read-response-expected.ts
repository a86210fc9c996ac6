/** The response that a test expects, and the values kept from it. */
import { Fields } from '../../../read/config/fields.js';
import { parsePath } from '../json-path.js';
import { readHeader } from './read-header-map.js';
import { testFields } from './test-fields.js';
import type { ExpectedResponse, TestStep } from './test-model.js';
import type { TestScope } from './test-scope.js';

export function readExpectedResponse(step: Fields, scope: TestScope): ExpectedResponse | undefined {
  const map = step.section('response');
  if (map === undefined) return undefined;
  const fields = new Fields("'response'", map, testFields['an expected response'], scope.report);
  const status = fields.integer('statuscode');
  const node = fields.node('statuscode');
  return {
    statuscode: status && node && { value: status.value, node },
    header: readHeader(fields, scope),
    body: fields.node('body'),
    bodyIncludes: fields.node('bodyIncludes'),
    isDescribed: fields.boolean('described') ?? true,
  };
}

export function readKeep(step: Fields, { report }: TestScope): TestStep['keep'] {
  return (step.section('keep')?.entries ?? []).flatMap(({ key, value }) => {
    const path = value.kind === 'scalar' ? value.text.value : '';
    if (parsePath(path) !== undefined)
      return [{ name: key.text.value, path: { value: path, span: value.span } }];
    const isName = /^[A-Za-z_]\w*$/.test(path);
    report.add('test-value', value.span, {
      problem:
        path === '' ? 'A path of the response is missing.' : `'${path}' is not a path of the response.`,
      hint: `Write ${isName ? `$.${path}` : 'one as a string, such as $.id or $.items[0].id'}`,
    });
    return [];
  });
}
