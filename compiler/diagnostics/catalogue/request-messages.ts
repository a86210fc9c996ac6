/** Diagnostics of requests to third-party APIs and of uploads. */
import { upperSnake } from '../../../runtime/server/upper-snake.js';
import { error, warning } from './entry-messages.js';

function quotedList(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

export const requestEntries = {
  'wrong-request-url': error((p: { problem: string; hint: string | undefined }) => ({
    message: `The URL of this request cannot be used: ${p.problem}.`,
    hint: p.hint,
  })),
  'placeholder-in-origin': error(() => ({
    message:
      'A placeholder cannot stand in the scheme, host or port of a URL: whoever sends the request would choose whom this service calls.',
    hint: 'Write scheme, host and port as they are; values may stand in the path and in the query.',
  })),
  'bare-placeholder-in-url': error((p: { written: string; rewrite: string }) => ({
    message: `'${p.written}' is not a placeholder: the URL would hold these characters.`,
    hint: `Write ${p.rewrite} for a value.`,
  })),
  'bare-placeholder': warning((p: { written: string; rewrite: string; place: 'header' | 'message' }) => ({
    message: `'${p.written}' is not a placeholder: the ${p.place} would hold these characters.`,
    hint: `Write ${p.rewrite} for a value.`,
  })),
  'relative-url': error(() => ({
    message: 'This URL has no host, and its datasource has no url that it could be below.',
    hint: "Write the whole URL, or give the datasource a 'url'.",
  })),
  'whole-url': warning(() => ({
    message:
      'The whole URL is a value: whoever gives it chooses whom this service calls. Credentials of the datasource are sent to its own host only.',
    hint: 'Where the host is known, write it here, or in the url of the datasource.',
  })),
  'url-fragment': warning(() => ({
    message: "What follows the '#' of a URL is never sent.",
    hint: "Take it away; where the '#' itself is meant, write %23.",
  })),
  'other-origin': warning((p: { datasource: string }) => ({
    message: `This URL leads to another host than that of datasource '${p.datasource}', so user, password and headers of the datasource are not sent with it.`,
    hint: 'Give it a datasource of its own.',
  })),
  'wrong-base-url': error((p: { problem: string }) => ({
    message: `This URL of a third-party API cannot be used: ${p.problem}.`,
    hint: 'For example: https://api.example.com/v1',
  })),
  'body-without-method': error((p: { field: string; method: string }) => ({
    message: `A ${p.method} request has no body, so it cannot have '${p.field}'.`,
    hint: "Values of a GET stand in the query of the 'url'; a request with a body is a POST, PUT or PATCH.",
  })),
  'body-and-multipart': error(() => ({
    message: "A request has either a 'body' or 'multipart', and this one has both.",
    hint: "In 'multipart' every value is a part; keep one of the two.",
  })),
  'managed-header': error((p: { name: string }) => ({
    message: `The header '${p.name}' belongs to the connection and is set for each request by itself.`,
    hint: 'Take it away.',
  })),
  'header-name': error((p: { name: string }) => ({
    message: `A header cannot be named '${p.name}'.`,
    hint: 'Every object of JavaScript has something of this name, and the header would not be sent.',
  })),
  'duplicate-header': error((p: { name: string }) => ({
    message: `The header '${p.name}' is here twice, and one request carries it once.`,
    hint: 'Several values stand in one header, separated by commas.',
  })),
  'header-characters': error((p: { name: string }) => ({
    message: `The value of the header '${p.name}' has characters that a header cannot carry (control characters, or characters outside Latin-1).`,
  })),
  'reference-in-request': error((p: { name: string }) => ({
    message: `The header '${p.name}' holds an environment reference (\${…}), and those work in the fields of datasources only.`,
    hint: "Move the header to the 'header' of the datasource.",
  })),
  'secret-in-request': warning((p: { name: string }) => ({
    message: `The value of the header '${p.name}' looks like a secret, and would stand in the generated code.`,
    hint: "Move the header to the 'header' of the datasource: values of datasources are read from the environment.",
  })),
  'secret-in-url': warning((p: { names: readonly string[] }) => ({
    message: `${quotedList(p.names)} in this URL ${p.names.length === 1 ? 'looks like a secret' : 'look like secrets'} and would be part of the generated code.`,
    hint: `Move ${p.names.length === 1 ? 'it' : 'them'} to the datasource, whose query goes before that of each request: url: https://api.example.com?${p.names.map((name) => `${name}=\${${upperSnake(name)}}`).join('&')}`,
  })),
  'status-without-request': error((p: { name: string }) => ({
    message: `'${p.name}' has no HTTP status: only a fulfillment of a REST datasource has one.`,
  })),
  'file-outside-multipart': error((p: { part: string }) => ({
    message: `MULTIPART_FILE(${p.part}) is a file and no JSON value: it can only be passed on, as a part of a request.`,
    hint: `Write it as the whole value of a part under 'multipart'. Whether it came is told by MULTIPART_FILE(${p.part}) == NULL(); a text part is read with PARAM.`,
  })),
  'environment-collision': error((p: { name: string; other: string; variable: string }) => ({
    message: `'${p.name}' and '${p.other}' are one name in the environment (${p.variable}), so they would share their settings.`,
    hint: 'Give one of them another name.',
  })),
};
