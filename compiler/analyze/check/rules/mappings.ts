/** Checks mappings of Syntax B, and the models that they build. */
import { didYouMean, error, meantOr, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { isUnambiguous } from '../../../read/diagnostics/suggest.js';
import { absenceRule, descriptionRule } from '../rule.js';
import { isUseKnown } from '../use-of-mappings.js';

/** Reports mappings of a model that is not in the API description. */
export const unknownModel = descriptionRule(
  {
    'unknown-model': error(
      { name: 'text', nearest: 'suggestion', names: 'text' },
      (p: { name: string; nearest: string | undefined; names: readonly string[] }) => ({
        message: `Unknown model '${p.name}' in the API description.`,
        ...meantOr(
          p.nearest,
          p.names.length > 0
            ? `Its models are ${quotedList(p.names.slice(0, 10))}.`
            : "Models are the schemas under 'components' of the API description.",
        ),
        isSuggestion: !isUnambiguous(p.name, p.names),
      }),
    ),
  },
  ({ analysis, report }) => ({
    operation: ({ endpoint }, { analyzed }) => {
      if (endpoint === undefined) return;
      for (const { written, meant } of analyzed.meant?.unknownModels ?? []) {
        report('unknown-model', written.span, {
          name: written.value,
          nearest: meant,
          names: [...(analysis.description?.models.keys() ?? [])],
        });
      }
    },
  }),
);

/** Reports mapped fields that the model does not have. */
export const unknownModelField = descriptionRule(
  {
    'unknown-model-field': error(
      { model: 'text', field: 'text', nearest: 'suggestion', fields: 'text', items: 'text' },
      (p: {
        model: string;
        field: string;
        nearest: string | undefined;
        fields: readonly string[];
        /** The model of the items, if the model is a list. */
        items: string | undefined;
      }) => ({
        message: `Model '${p.model}' has no field '${p.field}' in the API description.`,
        hint:
          p.items !== undefined
            ? `'${p.model}' is a list. Map '${p.items}', the model of its items.`
            : (didYouMean(p.nearest) ??
              (p.fields.length > 0 ? `Its fields are ${quotedList(p.fields.slice(0, 20))}.` : undefined)),
        instead: p.items === undefined ? p.nearest : undefined,
        isSuggestion: !isUnambiguous(p.field, p.fields),
      }),
    ),
  },
  ({ report }) => ({
    operation: ({ endpoint }, { analyzed }) => {
      if (endpoint === undefined) return;
      for (const { written, meant, model, fields, items } of analyzed.meant?.unknownFields ?? [])
        report('unknown-model-field', written.span, {
          model,
          field: written.value,
          nearest: meant,
          fields,
          items,
        });
    },
  }),
);

/** Reports mappings that no response uses, unless another error may be the reason. */
export const mappingNeverUsed = descriptionRule(
  {
    'mapping-never-used': warning(
      { model: 'text', operation: 'text' },
      (p: { model: string; operation: string; isOneOfAll: boolean }) => ({
        message: `Unused mapping of '${p.model}': no response of '${p.operation}' has this model.`,
        // If no mapping is used, there is a single reason.
        subject: p.isOneOfAll ? p.operation : undefined,
        hint: "Use the model in a response of the API description, without 'schema' in the configuration; or remove the mapping.",
      }),
    ),
  },
  ({ report }) => ({
    operation: ({ name }, { analyzed }) => {
      if (!isUseKnown(analyzed)) return;
      for (const mapping of analyzed.mappings ?? []) {
        const { model } = mapping;
        if (!analyzed.mapped.mappings.has(mapping))
          report('mapping-never-used', model.span, {
            model: model.value,
            operation: name.value,
            isOneOfAll: analyzed.mapped.mappings.size === 0,
          });
      }
    },
  }),
);

/** Reports mappings in an operation without an endpoint, which therefore has no response in the API description. */
export const mappingsWithoutEndpoint = descriptionRule(
  {
    'mappings-without-endpoint': error({ operation: 'text' }, (p: { operation: string }) => ({
      message: `'mappings' need an endpoint, and operation '${p.operation}' has none.`,
      hint: "Build its result with 'schema' in its response.",
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint, fields }) => {
      const span = fields.get('mappings');
      if (span !== undefined && endpoint === undefined)
        report('mappings-without-endpoint', span, { operation: name.value });
    },
  }),
);

/** Reports mappings without an API description, which would define the models. */
export const mappingsWithoutDescription = absenceRule(
  {
    'mappings-without-description': error(() => ({
      message: "'mappings' need an API description, and there is none.",
      hint: "Put openapi.yaml next to the configuration, or pass --openapi <file>; or build the body with 'schema' in the response.",
    })),
  },
  ({ analysis, report }) => ({
    operation: ({ endpoint, fields }) => {
      const span = fields.get('mappings');
      if (span !== undefined && endpoint !== undefined && analysis.description === undefined)
        report('mappings-without-description', span);
    },
  }),
);
