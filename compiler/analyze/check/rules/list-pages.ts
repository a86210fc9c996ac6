/** Checks the functions of pages (PREVIOUS, PAGES and LINK), and unused limits (docs/design/lists.md#lst-3). */
import type { ListPage } from '../../../read/config/config-model.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { words } from '../../../read/diagnostics/marks.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import { rule, type NodeSite } from '../rule.js';

/** Reports cursors of a list that requests cannot read by a cursor. */
export const cursorWithoutAfter = rule(
  {
    'cursor-without-after': error(
      { written: 'text', after: 'text' },
      (p: { written: string; after: string }) => ({
        message: `${p.written} is a cursor, but 'page' has no 'after' to read it.`,
        hint: `Write after: ${p.after} in 'page', or use LINK and PAGES for page numbers.`,
      }),
    ),
  },
  ({ report }) => {
    const check = (node: PageNode, site: NodeSite): void => {
      const page = pageOf(node, site);
      if (page === undefined || !isNumbered(page) || page.fields.has('after')) return;
      const { syntax } = site.operation;
      const written = printExpression(node, syntax);
      report('cursor-without-after', node.span, {
        written,
        after: syntax === 'A' ? 'QUERY(after)' : 'query.after',
      });
    };
    return {
      next: check,
      paging: (node, site) => {
        if (node.fact === 'previous') check(node, site);
      },
    };
  },
);

/** Reports the last page of a list that requests only read by cursors. */
export const pagesWithoutNumber = rule(
  {
    'pages-without-number': error(
      { written: 'text', number: 'text' },
      (p: { written: string; number: string }) => ({
        message: `${p.written} is about numbered pages, but 'page' has neither 'number' nor 'offset'.`,
        hint: `Write number: ${p.number} in 'page', or use TOTAL for the number of rows.`,
      }),
    ),
  },
  ({ report }) => ({
    paging: (node, site) => {
      if (node.fact !== 'pages' && node.relation !== 'last') return;
      const page = pageOf(node, site);
      if (page === undefined || isNumbered(page)) return;
      const { syntax } = site.operation;
      const written = printExpression(node, syntax);
      report('pages-without-number', node.span, {
        written,
        number: syntax === 'A' ? 'QUERY(page)' : 'query.page',
      });
    },
  }),
);

/** Reports URLs of pages that the query of a URL cannot name. */
export const linkWithoutQuery = rule(
  {
    'link-without-query': error(
      { field: words('number', 'offset', 'after'), written: 'text', query: 'text' },
      (p: { field: 'number' | 'offset' | 'after'; written: string; query: string }) => ({
        message: `LINK writes URLs with the parameters of the query, but '${p.field}' is ${p.written}.`,
        hint: `Write ${p.field}: ${p.query} in 'page'.`,
      }),
    ),
  },
  ({ report }) => {
    const reported = new Set<ListPage>();
    return {
      paging: (node, site) => {
        const page = node.fact === 'link' ? pageOf(node, site) : undefined;
        if (page === undefined || reported.has(page)) return;
        for (const field of ['number', 'offset', 'after'] as const) {
          const value = page[field];
          if (value === undefined || (value.kind === 'sent' && value.place === 'query')) continue;
          const { syntax } = site.operation;
          const name = field === 'number' ? 'page' : field;
          const query = syntax === 'A' ? `QUERY(${name})` : `query.${name}`;
          report('link-without-query', value.span, { field, written: printExpression(value, syntax), query });
          reported.add(page);
        }
      },
    };
  },
);

/** Reports settings of pages that have no effect. */
export const unusedPageField = rule(
  {
    'unused-page-field': warning(
      { field: words('maxOffset', 'maxTotal') },
      (p: { field: 'maxOffset' | 'maxTotal' }) => ({
        message: `'${p.field}' has no effect here.`,
        hint:
          p.field === 'maxOffset'
            ? "It limits 'number' and 'offset', which 'page' does not have. Remove it."
            : 'It limits TOTAL, PAGES and LINK, which are not used for this list. Remove it.',
      }),
    ),
  },
  ({ report, hasErrors }) => {
    const pages = new Set<ListPage>();
    const counted = new Set<ListPage>();
    return {
      fulfillment: (fulfillment) => {
        if ('page' in fulfillment && fulfillment.page !== undefined) pages.add(fulfillment.page);
      },
      paging: (node, site) => {
        const page = pageOf(node, site);
        if (page !== undefined && node.fact !== 'previous') counted.add(page);
      },
      end: () => {
        // An unreadable expression may count the rows.
        if (hasErrors()) return;
        for (const page of pages) {
          const [maxOffset, maxTotal] = [page.fields.get('maxOffset'), page.fields.get('maxTotal')];
          if (maxOffset !== undefined && !isNumbered(page))
            report('unused-page-field', maxOffset, { field: 'maxOffset' });
          if (maxTotal !== undefined && !counted.has(page))
            report('unused-page-field', maxTotal, { field: 'maxTotal' });
        }
      },
    };
  },
);

type PageNode = Extract<Expression, { kind: 'next' | 'paging' }>;

function pageOf({ name }: PageNode, { scope }: NodeSite): ListPage | undefined {
  const fulfillment = scope.visible.get(name);
  return fulfillment !== undefined && 'page' in fulfillment ? fulfillment.page : undefined;
}

function isNumbered({ fields }: ListPage): boolean {
  return fields.has('number') || fields.has('offset');
}
