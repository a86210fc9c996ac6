/** Diagnostics of mappings and joins (decisions 8). */
import { error, warning } from './entry-messages.js';

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

/** Models that hold each other. */
interface Circle {
  readonly field: string;
  readonly circle: readonly string[];
}

const circleText = ({ circle }: Circle): string => circle.map((name) => `'${name}'`).join(' → ');

export const mappingEntries = {
  'mappings-without-description': error(() => ({
    message:
      "'mappings' are about the models of the API description, and there is none beside the configuration.",
    hint: "Put openapi.yaml beside it or name the file on the command line; or build the body with 'schema' in the response.",
  })),
  'mappings-without-endpoint': error((p: { operation: string }) => ({
    message: `Operation '${p.operation}' has no endpoint, so the API description has no response that its 'mappings' could build.`,
    hint: "Build its result with 'schema' in its response.",
  })),
  'unknown-model': error((p: { name: string; nearest: string | undefined; names: readonly string[] }) => ({
    message: `The API description has no model '${p.name}'.`,
    hint:
      p.nearest !== undefined
        ? `Did you mean '${p.nearest}'?`
        : p.names.length > 0
          ? `Its models are ${quoted(p.names.slice(0, 10))}.`
          : "Models are the schemas under 'components' of the API description.",
    instead: p.nearest,
  })),
  'unknown-model-field': error(
    (p: {
      model: string;
      field: string;
      nearest: string | undefined;
      fields: readonly string[];
      /** The model of the entries, where the model is a list. */
      items: string | undefined;
    }) => ({
      message: `Model '${p.model}' has no field '${p.field}' in the API description.`,
      hint:
        p.items !== undefined
          ? `'${p.model}' is a list. Map '${p.items}', the model of its entries.`
          : p.nearest !== undefined
            ? `Did you mean '${p.nearest}'?`
            : p.fields.length > 0
              ? `Its fields are ${quoted(p.fields.slice(0, 20))}.`
              : undefined,
      instead: p.items === undefined ? p.nearest : undefined,
    }),
  ),
  'required-not-mapped': error(
    (p: {
      /** Undefined for an object that is described where it is used. */
      model: string | undefined;
      isMapped: boolean;
      operation: string;
      fields: readonly { readonly name: string; readonly model: string | undefined }[];
    }) => {
      const names = quoted(p.fields.map(({ name }) => name));
      const models = [...new Set(p.fields.flatMap(({ model }) => model ?? []))];
      const what = p.model === undefined ? 'An object without a name' : `Model '${p.model}'`;
      const mend =
        models.length === p.fields.length
          ? `Map the ${models.length === 1 ? 'model' : 'models'} ${quoted(models)}`
          : p.isMapped
            ? `Write, for example, ${p.fields[0]?.name ?? ''}: <fulfillment>.<field>`
            : p.model === undefined
              ? "Give the object a name under 'components' and map it"
              : `Map the model '${p.model}'`;
      return {
        message: `${what} requires ${names}, and operation '${p.operation}' maps nothing to ${p.fields.length === 1 ? 'it' : 'them'}.`,
        hint: `${mend}, or take ${names} out of 'required' in the API description.`,
      };
    },
  ),
  'cyclic-model': warning((p: Circle) => ({
    message: `The models hold each other (${circleText(p)}), and a model is not built inside itself: its field '${p.field}' is left out here.`,
    hint: 'To say so in the API description too, give this response models of its own without that field.',
  })),
  'endless-model': error((p: Circle) => ({
    message: `The models hold each other (${circleText(p)}) without end, since the field '${p.field}' is required.`,
    hint: `Take '${p.field}' out of 'required' in the API description, or give this response models of its own without it.`,
  })),
  'unclear-model': error((p: { what: string; operation: string }) => ({
    message: `A mapped model stands here behind ${p.what}, so that nothing tells how the response of '${p.operation}' is to be built.`,
    hint: "Describe the response with one model, or build it with 'schema' in the response.",
  })),
  'entry-of-outer': warning(
    (p: {
      model: string | undefined;
      owner: string | undefined;
      fulfillment: string;
      inner: string;
      outer: string;
      /** The field of `fulfillment` that the join is about. */
      key: string | undefined;
      /** The field of `inner` that may be its counterpart. */
      likely: string | undefined;
    }) => {
      const what = p.model === undefined ? 'an object' : `'${p.model}'`;
      const where =
        p.owner === undefined ? `an entry of '${p.inner}'` : `'${p.owner}' (an entry of '${p.inner}')`;
      return {
        message: `Inside ${where}, ${what} is built from the '${p.fulfillment}' of the '${p.outer}' around it, whichever entry of '${p.inner}' it is: no join leads from '${p.inner}' to '${p.fulfillment}'.`,
        hint: `Add the join: ${p.inner}.${p.likely ?? '<field>'} == ${p.fulfillment}.${p.key ?? '<field>'}`,
      };
    },
  ),
  'join-missing': warning(
    (p: {
      /** Undefined for an object without a name, or a list of values. */
      model: string | undefined;
      outer: string | undefined;
      fulfillment: string;
      inner: string;
      /** Undefined where the names of fields tell none. */
      join: string | undefined;
    }) => {
      const owner = p.outer === undefined ? `Every entry of '${p.inner}'` : `Every '${p.outer}'`;
      const what = p.model === undefined ? `all entries of '${p.fulfillment}'` : `every '${p.model}'`;
      return {
        message: `${owner} gets ${what}: no join leads from '${p.inner}' to '${p.fulfillment}'.`,
        hint: `Write a join at '${p.fulfillment}' or '${p.inner}'${p.join === undefined ? ', for example' : ''}: join: ${p.join ?? `${p.fulfillment}.<field> == ${p.inner}.<field>`}`,
      };
    },
  ),
  'list-around': warning((p: { name: string; inner: string }) => ({
    message: `Inside an entry of '${p.inner}', which stands in one of '${p.name}', '${p.name}' is the whole list that is being built around: it is the same for every entry of '${p.inner}'.`,
    hint: `For those that belong to the entry of '${p.inner}', read them in a fulfillment of its own, or count them in the SQL of '${p.inner}'.`,
  })),
  'response-without-body': warning((p: { name: string; status: string }) => ({
    message: `The API description promises a JSON body for status ${p.status}, and response '${p.name}' has none: it has no 'schema', and no mapped model is in it.`,
    hint: "Give the response a 'schema', map the model (Syntax B), or take 'content' away in the API description.",
  })),
  'undescribed-status': warning((p: { status: number; operation: string; statuses: readonly string[] }) => ({
    message: `The API description has no response ${p.status} for '${p.operation}'.`,
    hint: `It has ${p.statuses.join(', ')}: write one of these, or describe ${p.status}.`,
  })),
  'mapped-type': warning((p: { type: string; types: readonly string[] }) => ({
    message: `This is always of the type '${p.type}', and the API description says ${p.types.map((type) => `'${type}'`).join(' or ')}.`,
    hint: 'Change the type in the API description, or map another value.',
  })),
  'no-entries': error((p: { model: string | undefined }) => ({
    message: `${p.model === undefined ? 'This object' : `Model '${p.model}'`} stands in a list, and none of its fields is mapped from a fulfillment, so nothing tells how many entries the list has.`,
    hint: 'Map at least one of its fields from the fulfillment whose entries the list holds.',
  })),
  'body-too-large': error((p: { operation: string; most: number }) => ({
    message: `The models of '${p.operation}' hold each other in so many ways that its responses would be built of more than ${p.most} objects.`,
    hint: 'Give this response models of its own, without the fields that lead back.',
  })),
  'mapping-never-used': warning((p: { model: string; operation: string }) => ({
    message: `The mapping of '${p.model}' is never used: no response of '${p.operation}' is built from it.`,
    hint: "A response is built from mappings when it has no 'schema', and the API description has a JSON body with that model for its status code.",
  })),

  'wrong-join': error((p: { problem: string; hint: string | undefined }) => ({
    message: `A join is of the form <fulfillment>.<field> == <fulfillment>.<field>${p.problem}.`,
    hint: p.hint,
  })),
  'self-join': error((p: { name: string }) => ({
    message: `A fulfillment cannot be joined with itself: both sides of this join are '${p.name}'.`,
    hint: `Read the same rows once more in a fulfillment of its own, and join '${p.name}' with that one.`,
  })),
  'foreign-join': error((p: { name: string; left: string; right: string }) => ({
    message: `This join is about '${p.left}' and '${p.right}', but stands at fulfillment '${p.name}'.`,
    hint: `Write it at '${p.left}' or at '${p.right}'.`,
  })),
  'join-cycle': error((p: { circle: readonly string[] }) => ({
    message: `These joins lead round in a circle: ${p.circle.map((name) => `'${name}'`).join(' → ')}. Each entry of the left side carries its matching entries of the right one, so there is no first.`,
    hint: 'Take one of them away: a join serves both directions.',
  })),
  'ambiguous-join': error((p: { from: string; to: string }) => ({
    message: `Two chains of joins of the same length lead from '${p.from}' to '${p.to}', so nothing tells which entries are meant here.`,
    hint: `Join '${p.from}' and '${p.to}' with each other, or read the entries of one of the chains in a fulfillment of its own.`,
  })),
  'join-never-used': warning(
    (p: {
      left: string;
      right: string;
      /** Those of the two that no mapping reads. */
      unread: readonly string[];
      hasMappings: boolean;
    }) => ({
      message: `This join is never used: no mapping leads from '${p.left}' to '${p.right}' or back.`,
      hint: !p.hasMappings
        ? 'Joins serve the models that are mapped; a schema in a response does not use them. Map models of the API description, or join in the SQL.'
        : p.unread.length > 0
          ? `Map fields of ${p.unread.map((name) => `'${name}'`).join(' and ')} to a model of a response, or remove the join.`
          : `Joins lead from a model to those inside it, and connect the fulfillments of one model: no response needs this one. Remove it, or add a model of one of the two to a model of the other.`,
    }),
  ),
};
