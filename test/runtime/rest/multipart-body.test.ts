/** runtime/rest/message.ts: names of parts and files cannot break out of their header. */
import { expect, test } from 'vitest';
import { multipartBody } from '../../../runtime/rest/message.js';
import { UploadedFile } from '../../../runtime/handler/call.js';

test.each([
  ['a"; name="x', 'a%22; name=%22x'],
  ['a\r\nX: y', 'a%0D%0AX: y'],
  ['a.png\u0000.exe', 'a.png%00.exe'],
  ['a\u001b[31m\u007f\u0085', 'a%1B[31m%7F%C2%85'],
  ['žluť 🐎.png', 'žluť 🐎.png'],
])('%j', (name, sent) => {
  const file = new UploadedFile(name, 'image/png', [Buffer.from('abc')]);
  const { chunks } = multipartBody({ [name]: file });
  expect(Buffer.concat(chunks).toString().split('\r\n')[1]).toBe(
    `Content-Disposition: form-data; name="${sent}"; filename="${sent}"`,
  );
});

test('a list of files is one part for each', () => {
  const files = ['a', 'b'].map((name) => new UploadedFile(name, 'text/plain', [Buffer.from(`of ${name}`)]));
  const sent = Buffer.concat(multipartBody({ photos: files, none: [], note: ['x', 'y'] }).chunks).toString();
  expect(sent.match(/name="[^\r]*|of \w|^\[.*$/gm)).toEqual([
    ...['name="photos"; filename="a"', 'of a', 'name="photos"; filename="b"', 'of b'],
    ...['name="note"', '["x","y"]'],
  ]);
});
