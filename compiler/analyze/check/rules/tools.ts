/** Checks the endpoint of MCP clients and its tools (docs/design/tools.md#mcp-2). */
import { problemOfMcpUrl } from '../../../../runtime/server/secure-address.js';
import type { Config, Operation } from '../../../read/config/config-model.js';
import { walkOperation } from '../../../read/config/walk.js';
import { error, firstDefinedAt, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { words } from '../../../read/diagnostics/marks.js';
import { isFile, nodesIn, readsFiles } from '../../../read/expression/visit.js';
import { bodyKind } from '../../../read/openapi/media-type.js';
import type { Span } from '../../../read/source.js';
import { acceptedBy } from '../../operations/authentications/accepted.js';
import { issuersForClients } from '../../operations/authentications/issuers-for-clients.js';
import { MadeSecrets } from '../../operations/secrets/made-secrets.js';
import { descriptionRule, rule, ruleOfWhole } from '../rule.js';
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';

/** Reports tools of a service without an endpoint for MCP clients. */
export const toolWithoutMcp = rule(
  {
    'tool-without-mcp': error(() => ({
      message: 'The configuration has no endpoint for MCP clients, so nobody could call this tool.',
      hint: 'Add `mcp: { path: /mcp }` to the configuration, at the level of `operations`.',
    })),
  },
  ({ analysis, report }) => ({
    operation: ({ tool }) => {
      if (tool !== undefined && analysis.config.mcp === undefined) report('tool-without-mcp', tool.span);
    },
  }),
);

/** Reports an endpoint for MCP clients without tools. */
export const mcpWithoutTool = ruleOfWhole(
  {
    'mcp-without-tool': warning(() => ({
      message: 'No operation is a tool, so MCP clients find nothing here.',
      hint: 'Add `tool: { name: …, description: … }` to each operation that models may call.',
    })),
  },
  ({ analysis: { config }, report }) => ({
    end: () => {
      const { mcp, operations } = config;
      if (mcp !== undefined && operations.every(({ tool }) => tool === undefined))
        report('mcp-without-tool', mcp.span);
    },
  }),
);

/** Reports a path of the endpoint for MCP clients that is invalid, or belongs to an operation. */
export const mcpPath = ruleOfWhole(
  {
    'mcp-path': error(
      { path: 'text', operation: 'text' },
      (p: { path: string; operation: string | undefined }) => ({
        message:
          p.operation === undefined
            ? `'${p.path}' cannot be the path of the endpoint for MCP clients.`
            : `'${p.operation}' has this path, too.`,
        hint:
          p.operation === undefined
            ? "Write a path of letters, digits, '-', '_', '.' and '~', such as /mcp, outside /docs-ui, /v3 and /.well-known."
            : 'Choose another path.',
      }),
    ),
  },
  ({ analysis: { config }, report }) => ({
    end: () => {
      const path = config.mcp?.path;
      if (path === undefined) return;
      const { value, span } = path;
      if (!validPath.test(value) || reservedPath.test(value)) {
        report('mcp-path', span, { path: value, operation: undefined });
        return;
      }
      const other = config.operations.find(({ endpoint }) => endpoint?.path === value);
      if (other !== undefined) report('mcp-path', span, { path: value, operation: other.name.value });
    },
  }),
);

/** Reports a public URL of the endpoint that is invalid or has no effect, and operations at the paths of its metadata. */
export const mcpUrl = ruleOfWhole(
  {
    'mcp-url': error({ problem: 'word', operation: 'text' }, (p: UrlProblem) => ({
      message:
        p.operation === undefined
          ? (p.problem ??
            'No tool accepts tokens that clients can get from an issuer, so this URL has no effect.')
          : `'${p.operation}' has a path of the metadata that this URL adds.`,
      hint:
        p.operation === undefined
          ? p.problem === undefined
            ? 'Remove `url`, or let a tool accept tokens (`jwt`) in `Authorization: Bearer`, whose `issuer` begins with https.'
            : 'Write the URL that clients call, such as https://books.example.com/mcp, or a reference such as ${MCP_URL}.'
          : 'Remove the operation, or remove `url` to publish your own metadata.',
    })),
  },
  ({ analysis: { config }, report }) => ({
    end: () => {
      const url = config.mcp?.url;
      if (url === undefined) return;
      const problem = url.value.includes('${') ? undefined : problemOfMcpUrl(url.value);
      const hasTools = config.operations.some(({ tool }) => tool !== undefined);
      const own = config.operations.find(({ endpoint }) =>
        metadataPath.test(config.settings.basePath + (endpoint?.path ?? '')),
      );
      if (problem !== undefined)
        report('mcp-url', url.span, {
          problem: `The public URL of the endpoint for MCP clients ${problem}.`,
          operation: undefined,
        });
      else if (own !== undefined)
        report('mcp-url', url.span, { problem: undefined, operation: own.name.value });
      else if (hasTools && issuersForClients(config).length === 0)
        report('mcp-url', url.span, { problem: undefined, operation: undefined });
    },
  }),
);

/** Both are undefined if no client could use the metadata. */
interface UrlProblem {
  /** A sentence about the URL itself. */
  readonly problem: string | undefined;
  /** The operation that has a path of the metadata. */
  readonly operation: string | undefined;
}

const metadataPath = /^\/\.well-known\/oauth-protected-resource(?:\/|$)/;
const validPath = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;
const reservedPath = /^\/(?:docs-ui|v3|\.well-known)(?:\/|$)/;

/** Reports names of tools that clients refuse, and equal names. */
export const toolName = ruleOfWhole(
  {
    'tool-name': error({ name: 'text' }, (p: { name: string; first: Span | undefined }) => ({
      message:
        p.first === undefined
          ? `'${p.name}' cannot be the name of a tool.`
          : `Two tools have the name '${p.name}'.`,
      hint:
        p.first === undefined
          ? "Write 1 to 64 letters without accents, digits, '_' and '-', such as list_invoices: models refuse other names."
          : 'Give each tool a name of its own.',
      ...(p.first === undefined ? {} : { related: firstDefinedAt(p.first) }),
    })),
  },
  ({ report }) => {
    const seen = new Map<string, Span>();
    return {
      operation: ({ tool }) => {
        if (tool?.name === undefined) return;
        const { value: name, span } = tool.name;
        const first = seen.get(name);
        if (!validName.test(name) || first !== undefined) report('tool-name', span, { name, first });
        else seen.set(name, span);
      },
    };
  },
);

const validName = /^[A-Za-z0-9_-]{1,64}$/;

/** Reports tools that nothing describes to a model. */
export const toolWithoutDescription = descriptionRule(
  {
    'tool-without-description': error(() => ({
      message: 'Nothing describes this tool, and a model chooses tools by their descriptions.',
      hint: 'Write `description` here: what the tool does, and when to use it. Or write a `summary` in the API description.',
    })),
  },
  ({ report }) => ({
    operation: ({ tool }, { analyzed }) => {
      if (tool === undefined || tool.description !== undefined) return;
      if ((analyzed.endpoint?.summary ?? '').trim() === '') report('tool-without-description', tool.span);
    },
  }),
);

type Problem = 'basicauth' | 'bytes' | 'endpoint' | 'files' | 'form' | 'method' | 'signature' | 'text';

/** Reports operations that cannot be tools. */
export const notATool = rule(
  {
    'not-a-tool': error(
      { problem: words('basicauth', 'bytes', 'endpoint', 'files', 'form', 'method', 'signature', 'text') },
      (p: { problem: Problem }) => ({
        message: `This operation cannot be a tool: ${problems[p.problem].message}.`,
        hint: problems[p.problem].hint,
      }),
    ),
  },
  ({ analysis: { config }, report }) => ({
    operation: (operation, { analyzed }) => {
      const { tool } = operation;
      const problem = tool && problemOf(operation, analyzed, config);
      if (problem !== undefined) report('not-a-tool', tool?.span ?? operation.name.span, { problem });
    },
  }),
);

const problems: Readonly<Record<Problem, { readonly message: string; readonly hint: string }>> = {
  endpoint: {
    message: 'it is not an endpoint, so no authentication decides who may call it',
    hint: 'Add an endpoint such as `GET /invoices` that calls this operation, and make that one a tool.',
  },
  method: {
    message: 'responses to HEAD and OPTIONS have no body',
    hint: 'Make an operation with another method a tool.',
  },
  files: {
    message: 'it reads files, which the arguments of a tool cannot contain',
    hint: 'Remove `tool`, or add an operation without MULTIPART_FILE for models.',
  },
  form: {
    message: 'its body is a form, and the arguments of a tool are JSON',
    hint: 'Describe a body of the type application/json, or remove `tool`.',
  },
  text: {
    message: 'its body is text, and the arguments of a tool are JSON',
    hint: 'Remove `tool`, or add an operation with `request: json` for models.',
  },
  bytes: {
    message: 'it sends a file, which a model cannot read',
    hint: 'Remove `tool`, or respond with JSON or text.',
  },
  signature: {
    message: 'it accepts only signed requests, and MCP clients do not sign their requests',
    hint: 'Let the operation accept tokens (`jwt`) or API keys (`apikey`), or remove `tool`.',
  },
  basicauth: {
    message: 'it accepts only HTTP Basic, so MCP clients would store the password of a person',
    hint: 'Let the operation accept tokens (`jwt`) or API keys (`apikey`), or remove `tool`.',
  },
};

function problemOf(
  operation: Operation,
  { endpoint }: AnalyzedOperation,
  config: Config,
): Problem | undefined {
  if (operation.endpoint === undefined) return 'endpoint';
  const { method } = operation.endpoint;
  if (method === 'HEAD' || method === 'OPTIONS') return 'method';
  if (operation.accepts?.kind === 'text') return 'text';
  if (hasFiles(operation)) return 'files';
  if (endpoint?.body?.form !== undefined && endpoint.body.json === undefined) return 'form';
  if (operation.responses.some(({ contentType }) => bodyKind(contentType) === 'bytes')) return 'bytes';
  const types = (acceptedBy(operation, config) ?? []).map(({ value, isOptional }) =>
    isOptional ? 'optional' : config.authentications.find(({ name }) => name.value === value)?.type,
  );
  const [first] = types;
  if (first === undefined || !types.every((type) => type === 'basicauth' || type === 'signature'))
    return undefined;
  return types.includes('basicauth') ? 'basicauth' : 'signature';
}

function hasFiles(operation: Operation): boolean {
  let found = false;
  walkOperation(operation, (expression) => {
    if (nodesIn(expression).some((node) => isFile(node) || readsFiles(node))) found = true;
  });
  return found;
}

/** Reports tools whose results are secret. */
export const toolSecret = rule(
  {
    'tool-secret': error(() => ({
      message: 'The result of this tool is secret, and the model and its provider would see it.',
      hint: 'Remove `tool`. If models must see the result, write `secret: true` in it.',
    })),
  },
  ({ analysis, report }) => {
    const secrets = new MadeSecrets((name) => analysis.operation(name));
    return {
      operation: (operation) => {
        const { tool } = operation;
        if (tool !== undefined && !tool.secret && isSecret(operation, secrets))
          report('tool-secret', tool.span);
      },
    };
  },
);

function isSecret(operation: Operation, secrets: MadeSecrets): boolean {
  return operation.responses.some(
    (response) =>
      secrets.isInResponse(response, operation) ||
      response.header.some(
        ({ name, value }) =>
          name.value.toLowerCase() === 'cache-control' &&
          value.some((part) => typeof part === 'string' && /\bno-store\b/i.test(part)),
      ),
  );
}
