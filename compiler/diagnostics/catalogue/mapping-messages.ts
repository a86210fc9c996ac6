/** Diagnostics of mappings and joins (decisions 8). */
import { quotedList } from '../quoted-list.js';
import { error, warning } from './entry-messages.js';

/** Models that hold each other. */
interface Circle {
  readonly field: string;
  readonly circle: readonly string[];
}

const circleText = ({ circle }: Circle): string => circle.map((name) => `'${name}'`).join(' → ');

export const mappingEntries = {
  'required-not-mapped': error(
    (p: {
      /** Undefined for an object that is described where it is used. */
      model: string | undefined;
      isMapped: boolean;
      operation: string;
      fields: readonly { readonly name: string; readonly model: string | undefined }[];
    }) => {
      const names = quotedList(p.fields.map(({ name }) => name));
      const models = [...new Set(p.fields.flatMap(({ model }) => model ?? []))];
      const what = p.model === undefined ? 'An object without a name' : `Model '${p.model}'`;
      const mend =
        models.length === p.fields.length
          ? `Map the ${models.length === 1 ? 'model' : 'models'} ${quotedList(models)}`
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
  'ambiguous-join': error((p: { from: string; to: string }) => ({
    message: `Two chains of joins of the same length lead from '${p.from}' to '${p.to}', so nothing tells which entries are meant here.`,
    hint: `Join '${p.from}' and '${p.to}' with each other, or read the entries of one of the chains in a fulfillment of its own.`,
  })),
};
