/** Diagnostics of the checks: what is read well, but does not fit together. */
import { error, warning } from './entry-messages.js';

interface UnknownField {
  readonly name: string;
  readonly names: readonly string[];
  readonly nearest: string | undefined;
}

const mostNames = 12;

/** What may be meant by the name of a field that is not there. `are`: how the list of those that are there begins. */
function meantField({ names, nearest }: UnknownField, are: string): { hint: string; instead?: string } {
  const shown = names.slice(0, mostNames).map((name) => `'${name}'`);
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  const list = `${are} ${shown.join(', ')}${more}.`;
  return nearest === undefined
    ? { hint: list }
    : { hint: `Did you mean '${nearest}'? ${list}`, instead: nearest };
}

export const checkEntries = {
  'unknown-fulfillment': error(
    (p: {
      name: string;
      nearest: string | undefined;
      names: readonly string[];
      /** The name of the operation, where the expression comes from an anchor outside of it. */
      operation?: string | undefined;
      /** The name as a string of Syntax B, where it may be meant as one. */
      asString?: string | undefined;
      /** What was meant by a name that is of no fulfillment, with what it stands for. */
      meant?: { readonly instead: string; readonly what: string } | undefined;
    }) => ({
      message: `There is no fulfillment '${p.name}' in ${p.operation === undefined ? 'this operation' : `'${p.operation}'`}.`,
      ...(p.meant === undefined ? {} : { yamlInstead: p.meant.instead }),
      hint:
        p.meant !== undefined
          ? `Write ${p.meant.instead} for ${p.meant.what}.`
          : p.nearest !== undefined
            ? `Did you mean '${p.nearest}'?`
            : p.names.length > 0
              ? `Its fulfillments are ${p.names.map((name) => `'${name}'`).join(', ')}.${p.asString === undefined ? '' : ` For a string write ${p.asString}.`}`
              : undefined,
      instead: p.nearest,
    }),
  ),
  'unknown-column': error((p: UnknownField & { fulfillment: string }) => ({
    message: `The rows of '${p.fulfillment}' have no column '${p.name}'.`,
    ...meantField(p, 'Its columns are'),
  })),
  'unknown-answer-field': error((p: UnknownField & { operation: string }) => ({
    message: `The answer of '${p.operation}' has no field '${p.name}'.`,
    ...meantField(p, 'Its fields are'),
  })),
  'unknown-entry-field': error((p: UnknownField) => ({
    message: `An entry of an object has no field '${p.name}'.`,
    ...meantField(p, 'Its fields are'),
  })),
  'unknown-request-field': error((p: UnknownField) => ({
    message: `No request has a field '${p.name}' here: the API description allows no others than its own.`,
    ...meantField(p, 'They are'),
  })),
  'undescribed-request-field': warning((p: UnknownField) => ({
    message: `The API description has no field '${p.name}' here.`,
    ...meantField(p, 'Its fields are'),
  })),
  'unread-path-parameter': warning(
    (p: { parameter: string; meant: string | undefined; syntax: 'A' | 'B' }) => {
      const written = (name: string): string => (p.syntax === 'A' ? `PARAM(${name})` : `param.${name}`);
      return {
        message: `The path parameter '${p.parameter}' is never read.`,
        hint: `Read ${written(p.parameter)}${p.meant === undefined ? '' : ` instead of ${written(p.meant)}`}, or remove it from the path.`,
      };
    },
  ),
  'not-yet-run': error((p: { name: string }) => ({
    message: `Fulfillment '${p.name}' has not run yet here: fulfillments run one after the other, in the order listed.`,
    hint: `Move '${p.name}' before the place that reads it.`,
  })),
  'own-result': error((p: { name: string }) => ({
    message: `Fulfillment '${p.name}' cannot read its own result: it is there only when it has run.`,
    hint: 'Read it in its exceptions, in a later fulfillment or in a response.',
  })),
  'outside-loop': error((p: { name: string; loop: string }) => ({
    message: `Fulfillment '${p.name}' runs inside the loop '${p.loop}', and its result is not available outside.`,
    hint: `Give '${p.name}' an 'index' and read it with VALUE_BY_INDEX(${p.name}, <index>, $).`,
  })),
  'element-outside-item': error(() => ({
    message: "'@' is the current element of a list, and here is none.",
    hint: "'@' can be used inside a loop, and inside the 'item' of a map that has the keys 'list' and 'item' and no others.",
  })),
  'duplicate-fulfillment': error((p: { name: string }) => ({
    message: `Two fulfillments of this operation are named '${p.name}', so nobody could tell which one is meant.`,
    hint: 'Give one of them another name.',
  })),
  'duplicate-response': error((p: { name: string }) => ({
    message: `Two responses of this operation are named '${p.name}'.`,
    hint: 'Give one of them another name.',
  })),
  'duplicate-trigger': error((p: { name: string }) => ({
    message: `Two triggers of this operation are named '${p.name}'.`,
    hint: 'Give one of them another name.',
  })),
  'duplicate-endpoint': error((p: { name: string; other: string; line: number }) => ({
    message: `'${p.name}' and '${p.other}' (line ${p.line}) answer the same requests.`,
    hint: 'Parameters of another name do not make another path. Keep one of the two.',
  })),
  'reserved-path': error((p: { path: string }) => ({
    message: `'${p.path}' belongs to the test page and its API description.`,
    hint: 'Choose a path outside /docs-ui and /v3/api-docs.',
  })),
  'missing-default-response': error((p: { name: string }) => ({
    message: `Operation '${p.name}' has an API trigger, so it needs a response with 'default: true'.`,
  })),
  'several-default-responses': error((p: { name: string; other: string }) => ({
    message: `An operation has one default response, and '${p.other}' is one already.`,
    hint: `Write 'default: false' and an 'if' for '${p.name}'.`,
  })),
  'response-never-used': warning((p: { name: string }) => ({
    message: `Response '${p.name}' is never used: it is not the default and has no 'if'.`,
    hint: "Give it an 'if', or take it away.",
  })),
  'condition-on-default': warning((p: { name: string }) => ({
    message: `The default response '${p.name}' is used whenever no other is; its 'if' has no effect.`,
    hint: "Take the 'if' away.",
  })),
  'neither-response-nor-trigger': error((p: { name: string }) => ({
    message: `Operation '${p.name}' has neither responses nor triggers, so nothing could ever start it or read its result.`,
    hint: 'An operation has an API trigger (its name is a method and a path), a timed trigger, or a response that a reference call reads.',
  })),
  'key-out-of-order': warning((p: { key: string }) => ({
    message: `The key '${p.key}' is a whole number, and such keys come before all others, whatever their place here.`,
    hint: 'Where the order matters, give the key another name.',
  })),
  'body-without-content': warning((p: { status: number }) => ({
    message: `An answer with status ${p.status} never has a body, so this schema is not sent.`,
    hint: "Take 'schema' away, or use status 200.",
  })),
  'reserved-name': error((p: { name: string }) => ({
    message: `In Syntax B '${p.name}' is ${/^(?:param|body)$/.test(p.name) ? "the request's" : 'a constant'}, so a fulfillment cannot have this name.`,
    hint: 'Choose another name.',
  })),
  'unnamed-fulfillment': error((p: { name: string }) => ({
    message: `'${p.name}' cannot be a fulfillment's name: expressions could not read it.`,
    hint: "Use letters, digits, '_' and '-', beginning with a letter.",
  })),
  'path-into-text': error((p: { name: string; instead: string | undefined; isDeclared: boolean }) => ({
    message: `The parameter '${p.name}' is a text here, so nothing can be read inside it.`,
    hint: `${p.isDeclared ? `Declare '${p.name}'` : `Write an API description that declares '${p.name}'`} with the type object or array${p.instead === undefined ? '' : `; for a parameter whose name has a dot write ${p.instead}`}.`,
  })),
  'size-without-parentheses': warning(() => ({
    message: "Without parentheses '.size' is a field of that name, and not the number of entries.",
    hint: "Write .size() for the number; where a field is meant, write ['size'].",
  })),
  'update-field': warning((p: { name: string; field: string; syntax: 'A' | 'B' }) => ({
    message: `'${p.field}' of '${p.name}' is always null: an UPDATE on MySQL and MariaDB gives one row with 'insert_id' and 'affected_rows', and nothing else.`,
    hint: `Read ${updateColumns(p)}, or the rows in a READ fulfillment after it.`,
  })),
  'text-beside-number': warning((p: { placeholder: string }) => ({
    message:
      'This value may be a string beside numbers, and then MySQL and MariaDB compare and return strings.',
    hint: `Write CAST(${p.placeholder} AS SIGNED), or AS DECIMAL(…) for a fraction; or declare its type in the API description.`,
  })),
  'update-never-empty': warning((p: { name: string; instead: string }) => ({
    message: `The result of '${p.name}' is never empty: an UPDATE on MySQL and MariaDB gives one row with 'insert_id' and 'affected_rows', whatever it changed.`,
    hint: `Write ${p.instead}`,
    instead: p.instead,
  })),
};

function updateColumns({ name, syntax }: { readonly name: string; readonly syntax: 'A' | 'B' }): string {
  return syntax === 'B'
    ? `${name}.insert_id or ${name}.affected_rows`
    : `VALUE(${name}, $.insert_id) or VALUE(${name}, $.affected_rows)`;
}
