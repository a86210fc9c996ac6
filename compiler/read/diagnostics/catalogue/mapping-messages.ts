/** Diagnostics about mappings and joins. */
import { quotedList } from '../quoted-list.js';
import { error, warning } from './entry-messages.js';

/** Models that contain each other. */
interface Cycle {
  readonly field: string;
  readonly cycle: readonly string[];
}

const cycleText = ({ cycle }: Cycle): string => quotedList(cycle, ' → ');

/** Suggests where to write a join. */
const joinHint = (p: { hasJoin: boolean; at: string; join?: string | undefined }): string =>
  `${p.hasJoin ? `Add to 'join' of '${p.at}':` : `Write in fulfillment '${p.at}': join:`} ${p.join ?? ''}`;

export const mappingEntries = {
  'required-not-mapped': error(
    { model: 'text', operation: 'text', source: 'text', fields: { name: 'text', model: 'text' } },
    (p: {
      /** The model; undefined for an object that is described inline. */
      model: string | undefined;
      isMapped: boolean;
      operation: string;
      /** The operation's first fulfillment. */
      source?: string | undefined;
      fields: readonly { readonly name: string; readonly model: string | undefined }[];
    }) => {
      const names = quotedList(p.fields.map(({ name }) => name));
      const models = [...new Set(p.fields.flatMap(({ model }) => model ?? []))];
      const what = p.model === undefined ? 'An object without a name' : `Model '${p.model}'`;
      const fix =
        models.length === p.fields.length
          ? `Map the ${models.length === 1 ? 'model' : 'models'} ${quotedList(models)}`
          : p.isMapped
            ? `Write, for example, ${p.fields[0]?.name ?? ''}: ${p.source ?? '<fulfillment>'}.${p.fields[0]?.name ?? '<field>'}`
            : p.model === undefined
              ? "Give the object a name under 'components' and map it"
              : `Map the model '${p.model}'`;
      return {
        message: `${what} requires ${names}, which ${p.fields.length === 1 ? 'is' : 'are'} not mapped.`,
        hint: `${fix}, or remove ${names} from 'required' in the API description.`,
      };
    },
  ),
  'cyclic-model': warning({ field: 'text', cycle: 'text' }, (p: Cycle) => ({
    message: `Cyclic model (${cycleText(p)}): the field '${p.field}' is omitted.`,
    hint: 'Use a model without that field for this response, so that the API description agrees.',
  })),
  'endless-model': error({ field: 'text', cycle: 'text' }, (p: Cycle) => ({
    message: `Endless model (${cycleText(p)}): the field '${p.field}' is required.`,
    hint: `Remove '${p.field}' from 'required' in the API description, or use a model without it for this response.`,
  })),
  'unclear-model': error(
    { what: 'sentence', operation: 'text' },
    (p: { what: string; operation: string }) => ({
      message: `Mapped model in ${p.what}: the response of '${p.operation}' is ambiguous.`,
      hint: "Describe the response with one model, or build it with 'schema'.",
    }),
  ),
  'entry-of-outer': warning(
    {
      model: 'text',
      owner: 'text',
      fulfillment: 'text',
      inner: 'text',
      outer: 'text',
      key: 'text',
      likely: 'text',
    },
    (p: {
      model: string | undefined;
      owner: string | undefined;
      fulfillment: string;
      inner: string;
      outer: string;
      /** The field of `fulfillment` that the join uses. */
      key: string | undefined;
      /** The probable matching field of `inner`. */
      likely: string | undefined;
      /** Whether the fulfillment already has joins. */
      hasJoin: boolean;
    }) => {
      const what = p.model === undefined ? 'an object' : `'${p.model}'`;
      const where = p.owner === undefined ? `a row of '${p.inner}'` : `'${p.owner}' (a row of '${p.inner}')`;
      return {
        message: `Inside ${where}, ${what} always belongs to the row of '${p.outer}', not to the row of '${p.inner}'.`,
        hint: `${p.hasJoin ? `Add to 'join' of '${p.inner}':` : `Write in fulfillment '${p.inner}': join:`} ${p.inner}.${p.likely ?? `${p.fulfillment.replace(/s$/, '')}_id`} == ${p.fulfillment}.${p.key ?? 'id'}`,
      };
    },
  ),
  'join-missing': warning(
    { model: 'text', outer: 'text', fulfillment: 'text', inner: 'text', join: 'text', at: 'text' },
    (p: {
      /** The model; undefined for an object without a model, or a list of values. */
      model: string | undefined;
      outer: string | undefined;
      fulfillment: string;
      inner: string;
      /** A likely join; undefined if the field names do not suggest one. */
      join: string | undefined;
      /** The fulfillment to which the join belongs. */
      at: string;
      /** Whether that fulfillment already has joins. */
      hasJoin: boolean;
      /** True if every row is used, false if only the first is. */
      isList: boolean;
    }) => {
      const owner = p.outer === undefined ? `Every row of '${p.inner}'` : `Every '${p.outer}'`;
      const rows = p.isList ? `all rows of '${p.fulfillment}'` : `the first row of '${p.fulfillment}'`;
      const what = p.model === undefined ? rows : p.isList ? `every '${p.model}'` : `the same '${p.model}'`;
      return {
        message: `${owner} gets ${what}: no join connects '${p.inner}' with '${p.fulfillment}'.`,
        hint:
          p.join === undefined
            ? `For example, select ${p.inner.replace(/s$/, '')}_id in '${p.fulfillment}' and ${p.hasJoin ? `add to its 'join':` : 'write there: join:'} ${p.fulfillment}.${p.inner.replace(/s$/, '')}_id == ${p.inner}.id`
            : joinHint(p),
      };
    },
  ),
  'shared-key-join': warning(
    {
      fulfillment: 'text',
      outer: 'text',
      shared: 'text',
      at: 'text',
      field: 'text',
      join: 'text',
      direct: 'text',
    },
    (p: {
      fulfillment: string;
      outer: string;
      /** The fields by which both fulfillments are joined. */
      shared: readonly string[];
      /** The fulfillment and its field that is named after the other fulfillment. */
      at: string;
      field: string;
      /** The join on that field. */
      join: string;
      /** Whether that fulfillment already has joins. */
      hasJoin: boolean;
      /** A direct join that returns the same rows as now. */
      direct: string;
    }) => ({
      message: `Only ${quotedList(p.shared)} connects '${p.fulfillment}' with '${p.outer}', although '${p.at}' has '${p.field}'.`,
      hint: `${joinHint(p)}. If all rows with the same ${quotedList(p.shared)} should be used, write ${p.direct} instead.`,
    }),
  ),
  'list-around': warning({ name: 'text', inner: 'text' }, (p: { name: string; inner: string }) => ({
    message: `Here '${p.name}' is the whole list: it is the same for every row of '${p.inner}'.`,
    hint: `To count the elements for each row of '${p.inner}', select the count in its SQL. To list them, read them in another fulfillment.`,
  })),
  'no-entries': error(
    { model: 'text', field: 'text', source: 'text' },
    (p: { model: string | undefined; field: string | undefined; source: string | undefined }) => ({
      message: `${p.model === undefined ? 'This object' : `Model '${p.model}'`} is in a list, but no field is mapped from a fulfillment.`,
      hint: `${p.model === undefined ? "Give it a name under 'components', and map" : 'Map'} a field from the fulfillment whose rows the list has, for example ${p.field ?? 'id'}: ${p.source ?? '<fulfillment>'}.${p.field ?? 'id'}`,
    }),
  ),
  'body-too-large': error({ operation: 'text' }, (p: { operation: string; max: number }) => ({
    message: `The responses of '${p.operation}' would need more than ${p.max} nested objects.`,
    hint: 'Use models for this response without the fields that lead back to an outer model.',
  })),
  'ambiguous-join': error({ from: 'text', to: 'text' }, (p: { from: string; to: string }) => ({
    message: `Ambiguous join path from '${p.from}' to '${p.to}': several are equally short.`,
    hint: `Join '${p.from}' and '${p.to}' directly, or read the rows of one path in another fulfillment.`,
  })),
};
