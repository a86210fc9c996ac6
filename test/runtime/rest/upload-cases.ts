/** Invalid forms, and the result of each. */
import { gzipSync } from 'node:zlib';
import { boundary, file, form, note, part, utf8 } from './forms.js';

/** The body sent to a route with a file `file` and a text field `note`, and the response. */
export interface UploadCase {
  readonly body: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** The message of an error, or the value itself. */
  readonly expected: unknown;
}

/** The limits of the tested service. */
export const limits = { file: 2 * 1024 * 1024, text: 64 * 1024, parts: 20, memory: 16 * 1024 * 1024 };

const invalid = { status: 400, expected: 'The request body is not a valid multipart form' };
const unreadable = {
  status: 400,
  expected: "A part has no header 'Content-Disposition: form-data' that can be read",
};
const wrongType = {
  status: 415,
  expected: 'The request body must have the content type multipart/form-data',
};
const tooMany = { status: 413, expected: `The request has more than ${limits.parts} parts` };
const fine = { file: { name: 'a.png', type: 'image/png', size: 3 }, note: 'hello' };
const image = file('file', 'a.png', 'abc');
const hello = note('note', 'hello');
const whole = form(image, hello);
const disposition = 'Content-Disposition: form-data; name="file"';

function got(changes: object) {
  return { status: 200, expected: { ...fine, ...changes } };
}

export const uploadCases: Readonly<Record<string, UploadCase>> = {
  'as it should be': { body: whole, ...got({}) },
  // Missing or unexpected parts.
  'file missing': { body: form(hello), ...got({ file: null }) },
  'text missing': { body: form(image), ...got({ note: null }) },
  'nothing but the end': { body: form(), ...got({ file: null, note: null }) },
  'other parts': { body: form(image, hello, note('x', 'y'), file('z', 'z', 'z')), ...got({}) },
  'file twice': {
    body: form(image, image),
    status: 400,
    expected: 'The part "file" is there more than once',
  },
  'file and text of one name': {
    body: form(image, note('file', 'x')),
    status: 400,
    expected: 'The part "file" is there more than once',
  },
  'text twice': { body: form(image, hello, hello), ...got({ note: ['hello', 'hello'] }) },
  'text for a file': {
    body: form(note('file', 'abc'), hello),
    status: 400,
    expected: 'The part "file" is a string, but a file is expected',
  },
  'file for a text': {
    body: form(image, file('note', 'n', 'x')),
    status: 400,
    expected: 'The part "note" is a file, but a string is expected',
  },
  'empty file': { body: form(file('file', 'a.png', ''), hello), ...got({ file: { ...fine.file, size: 0 } }) },
  'no file chosen': {
    body: form(file('file', '', '', 'application/octet-stream'), hello),
    ...got({ file: null }),
  },
  'file without a name': {
    body: form(file('file', '', 'abc'), hello),
    status: 400,
    expected: 'The part "file" is a string, but a file is expected',
  },
  'bytes without a file name': {
    body: form(part([disposition, 'Content-Type: application/octet-stream'], 'abc'), hello),
    status: 400,
    expected: 'The file "file" has no name',
  },
  // Names.
  'a[50000000]': { body: form(image, hello, note('a[50000000]', 'x'), note('a[b]', 'x')), ...got({}) },
  'a[b][c]': { body: form(image, hello, note('a[b][c]', 'x')), ...got({}) },
  'note[]': {
    body: form(image, note('note[]', 'a'), note('note[]', 'b')),
    ...got({ note: ['a', 'b'] }),
  },
  'note[b][c]': { body: form(image, note('note[b][c]', 'x')), ...got({ note: { b: { c: 'x' } } }) },
  'note[50000000]': { body: form(image, note('note[50000000]', 'x')), ...got({ note: { 50000000: 'x' } }) },
  'note[ and note[a': {
    body: form(image, note('note[', 'x')),
    status: 400,
    expected: "The parameter 'note' must not be written as 'note['",
  },
  'note and note[]': {
    body: form(image, hello, note('note[]', 'x')),
    status: 400,
    expected: "The parameter 'note' must be written in one way: repeated, as a list or as an object",
  },
  'note[__proto__]': {
    body: form(image, note('note[__proto__]', 'x')),
    status: 200,
    expected: { ...fine, note: Object.fromEntries([['__proto__', 'x']]) },
  },
  'file file[0]': {
    body: form(file('file[0]', 'f', 'x'), hello),
    status: 400,
    expected: 'The part "file" is one file, but its name has brackets',
  },
  'file a[0]': { body: form(file('a[0]', 'f', 'x'), image, hello), ...got({}) },
  'a text __proto__': {
    body: form(note('__proto__', 'x'), note('constructor', 'y'), image, hello),
    ...got({}),
  },
  'file __proto__': { body: form(file('__proto__', 'f', 'x'), image, hello), ...got({}) },
  'part without name': {
    body: form(part(['Content-Disposition: form-data'], 'x')),
    status: 400,
    expected: 'A part has no name',
  },
  'part with an empty name': { body: form(note('', 'x')), status: 400, expected: 'A part has no name' },
  'file part without name': {
    body: form(part(['Content-Disposition: form-data; filename="x"'], 'x')),
    status: 400,
    expected: 'A part has no name',
  },
  'long name': {
    body: form(note('x'.repeat(2000), 'x')),
    status: 400,
    expected: 'The name of a part is too long',
  },
  'UTF-8 file name': {
    body: form(file('file', utf8('žluť.txt'), 'abc'), hello),
    ...got({ file: { ...fine.file, name: 'žluť.txt' } }),
  },
  'filename* of RFC 5987': {
    body: form(
      part([`${disposition}; filename*=utf-8''%C5%BElu%C5%A5.txt`, 'Content-Type: image/png'], 'abc'),
      hello,
    ),
    ...got({ file: { ...fine.file, name: 'žluť.txt' } }),
  },
  'quotes as browsers write them': {
    body: form(file('file', 'a%22b%0A.png', 'abc'), hello),
    ...got({ file: { ...fine.file, name: 'a"b\n.png' } }),
  },
  'quotes as curl writes them': {
    body: form(file('file', 'a\\"b.png', 'abc'), hello),
    ...got({ file: { ...fine.file, name: 'a"b.png' } }),
  },
  'folders in the file name': {
    body: form(file('file', '../../etc/passwd', 'abc'), hello),
    ...got({ file: { ...fine.file, name: 'passwd' } }),
  },
  // Text fields.
  'line breaks': { body: form(image, note('note', 'a\nb\r\nc\r')), ...got({ note: 'a\nb\r\nc\r' }) },
  'UTF-8 text': { body: form(image, note('note', utf8('žluť 🐎'))), ...got({ note: 'žluť 🐎' }) },
  'text with a character set': {
    body: form(
      image,
      part(
        ['Content-Disposition: form-data; name="note"', 'Content-Type: text/plain; charset=iso-8859-1'],
        '\xfcber',
      ),
    ),
    ...got({ note: 'über' }),
  },
  'text with a character set nobody knows': {
    body: form(
      image,
      part(['Content-Disposition: form-data; name="note"', 'Content-Type: text/plain; charset=none'], 'x'),
    ),
    status: 400,
    expected: 'The part "note" has a character set that is not known',
  },
  'empty text': { body: form(image, note('note', '')), ...got({ note: '' }) },
  // Limits exceeded.
  'file too large': {
    body: form(file('file', 'a', Buffer.alloc(limits.file + 1)), hello),
    status: 413,
    expected: `The file "file" is larger than ${limits.file} bytes`,
  },
  'file just not too large': {
    body: form(file('file', 'a.png', Buffer.alloc(limits.file)), hello),
    ...got({ file: { ...fine.file, size: limits.file } }),
  },
  'text too large': {
    body: form(note('note', 'x'.repeat(limits.text + 1))),
    status: 413,
    expected: `The part "note" is larger than ${limits.text} bytes`,
  },
  'text just not too large': {
    body: form(image, note('note', 'x'.repeat(limits.text))),
    ...got({ note: 'x'.repeat(limits.text) }),
  },
  '21 parts': { body: form(...Array<Buffer>(21).fill(hello)), ...tooMany },
  '10,000 parts': { body: form(...Array<Buffer>(10_000).fill(note('x', 'y'))), ...tooMany },
  '10,000 files': { body: form(...Array<Buffer>(10_000).fill(image)), ...tooMany },
  '10,000 header lines in a part': {
    body: form(part([disposition, ...Array<string>(10_000).fill('X-A: b')], 'x')),
    ...invalid,
  },
  'one header line of a megabyte': { body: form(part([`X-A: ${'x'.repeat(1024 * 1024)}`], 'x')), ...invalid },
  'a body of 60 MB': {
    body: Buffer.alloc(60 * 1024 * 1024),
    status: 413,
    expected: `The request body is larger than ${limits.parts * (limits.file + 20 * 1024)} bytes`,
  },
  // Invalid forms.
  'cut off in a file': { body: whole.subarray(0, 60), ...invalid },
  'cut off in a text': { body: whole.subarray(0, -13), ...invalid },
  'cut off in the head of a part': { body: whole.subarray(0, 20), ...invalid },
  'cut off before the end': { body: Buffer.concat([image, hello]), ...invalid },
  'empty body': { body: '', headers: { 'content-length': '0' }, ...invalid },
  'no body at all': { body: '', headers: {}, ...invalid },
  'wrong boundary': { body: whole, headers: typed('multipart/form-data; boundary=other'), ...invalid },
  'no boundary': { body: whole, headers: typed('multipart/form-data'), ...invalid },
  'empty boundary': { body: whole, headers: typed('multipart/form-data; boundary='), ...invalid },
  'huge boundary': {
    body: whole,
    headers: typed(`multipart/form-data; boundary=${'x'.repeat(10_000)}`),
    ...invalid,
  },
  'not a form at all': { body: 'hello', ...invalid },
  'a JSON body': { body: '{"note":"x"}', headers: typed('application/json'), ...wrongType },
  urlencoded: { body: 'note=x', headers: typed('application/x-www-form-urlencoded'), ...wrongType },
  'multipart/mixed': { body: whole, headers: typed(`multipart/mixed; boundary=${boundary}`), ...wrongType },
  'no content type': { body: whole, headers: typed(''), ...wrongType },
  gzip: {
    body: gzipSync(whole),
    headers: { 'content-encoding': 'gzip' },
    status: 415,
    expected: 'The request body must not be compressed',
  },
  'multipart/mixed inside': {
    body: form(
      image,
      part(
        ['Content-Disposition: form-data; name="note"', 'Content-Type: multipart/mixed; boundary=in'],
        '--in\r\nContent-Disposition: file; filename="x"\r\n\r\nx\r\n--in--',
      ),
    ),
    ...got({ note: '--in\r\nContent-Disposition: file; filename="x"\r\n\r\nx\r\n--in--' }),
  },
  'a preamble and an epilogue': {
    body: Buffer.concat([Buffer.from('before\r\n'), whole, Buffer.from('after')]),
    ...got({}),
  },
  // Content is never dropped silently.
  'a part without disposition': { body: form(part(['X-A: b'], 'x'), image, hello), ...unreadable },
  'an attachment': {
    body: form(part(['Content-Disposition: attachment; name="note"'], 'x'), image),
    ...unreadable,
  },
  'a file name that ends with a backslash': { body: form(file('file', 'a\\', 'abc'), hello), ...unreadable },
  'a name that ends with a backslash': { body: form(image, note('note\\', 'x')), ...unreadable },
  'a file name with a backslash': {
    body: form(file('file', 'a\\b.png', 'abc'), hello),
    ...got({ file: { ...fine.file, name: 'b.png' } }),
  },
  'two delimiters in a row': {
    body: Buffer.concat([Buffer.from(`--${boundary}\r\n`), whole]),
    ...unreadable,
  },
};

function typed(type: string): Readonly<Record<string, string>> {
  return { 'content-type': type };
}
