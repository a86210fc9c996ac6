/** The CSS of the test page: small screens, dark colors, and traces. */

export const style = `:root {
  color-scheme: light dark;
  --page: #fafafa;
  --panel: #fff;
  --line: #d8dde7;
  --text: #3b4151;
  --soft: #5b6472;
  --code: #eef1f6;
  --code-text: #2b3240;
  --good: #e3f4ea;
  --good-text: #14633a;
  --none: #eceef2;
  --none-text: #4a5262;
  --bad: #fce4e4;
  --bad-text: #9b1c1c;
}

@media (prefers-color-scheme: dark) {
  :root {
    --page: #1c2022;
    --panel: #24292d;
    --line: #3a4147;
    --text: #e4e7eb;
    --soft: #aab2bd;
    --code: #15181b;
    --code-text: #dbe2ea;
    --good: #173524;
    --good-text: #86dba6;
    --none: #33393f;
    --none-text: #c3cad3;
    --bad: #431c1c;
    --bad-text: #ff9d94;
  }
}

body {
  margin: 0;
  background: var(--page);
}

.swagger-ui .scheme-container {
  margin: 0 0 16px;
  padding: 16px 0;
  box-shadow: 0 1px 2px rgb(0 0 0 / 12%);
}

/* The one server is the one that the page came from. */
.swagger-ui .scheme-container .schemes > .schemes-server-container,
.swagger-ui .scheme-container:not(:has(.auth-wrapper)) {
  display: none;
}

.swagger-ui .scheme-container .schemes .auth-wrapper {
  margin-left: auto;
}

.swagger-ui .info {
  margin: 24px 0;
}

/* Without tags in the description, all operations are in one group that needs no name. */
.swagger-ui:not(:has(.opblock-tag:not([data-tag='default']))) .opblock-tag[data-tag='default'] {
  display: none;
}

/* Cancel folds the form, and loses nothing. */
.swagger-ui .btn.cancel,
.swagger-ui .opblock .opblock-section-header .try-out__btn.cancel {
  border-color: var(--line);
  color: var(--text);
}

.trace {
  margin: 12px 0 4px;
  padding: 12px 16px 14px;
  border-radius: 4px;
  background: var(--panel);
  border: 1px solid var(--line);
  color: var(--text);
  font: 13px/1.5 system-ui, sans-serif;
}

.swagger-ui .trace h4 {
  color: inherit;
  margin: 0 0 8px;
  font: 700 14px/1.4 system-ui, sans-serif;
}

.swagger-ui .trace .trace-note {
  margin: 0;
  color: var(--soft);
  font: inherit;
}

.trace ol {
  margin: 0;
  padding: 0;
  list-style: none;
}

.trace ol ol {
  margin-left: 6px;
  padding-left: 12px;
  border-left: 2px solid var(--line);
}

.trace li {
  margin: 6px 0;
}

.trace-line {
  display: flex;
  flex-wrap: wrap;
  gap: 2px 8px;
  align-items: baseline;
}

.trace-kind {
  min-width: 66px;
  color: var(--soft);
  font-size: 12px;
}

.trace-name {
  font-weight: 600;
}

.swagger-ui .trace code {
  padding: 0 4px;
  border-radius: 3px;
  background: var(--code);
  color: var(--code-text);
  font: 12px/1.5 ui-monospace, monospace;
  overflow-wrap: anywhere;
}

.trace-outcome {
  padding: 0 7px;
  border-radius: 9px;
  background: var(--good);
  color: var(--good-text);
  font-size: 12px;
}

.trace-not {
  opacity: 0.75;
}

.trace-not .trace-outcome {
  background: var(--none);
  color: var(--none-text);
}

.trace-exception:not(.trace-not) .trace-outcome {
  background: var(--bad);
  color: var(--bad-text);
}

.trace-facts {
  margin-left: auto;
  color: var(--soft);
  font-size: 12px;
  font-variant-numeric: tabular-nums;
}

.swagger-ui .trace pre {
  margin: 4px 0 8px;
  padding: 8px 10px;
  border-radius: 4px;
  background: var(--code);
  color: var(--code-text);
  font: 12px/1.5 ui-monospace, monospace;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}

.trace summary {
  color: var(--soft);
  font-size: 12px;
  cursor: pointer;
}

.swagger-ui .trace .trace-failure {
  margin: 4px 0;
  color: var(--bad-text);
  font: inherit;
}

.folding {
  margin: 8px 0;
}

.folding > summary {
  color: var(--soft);
  font: 600 13px/1.5 system-ui, sans-serif;
  cursor: pointer;
}

.folding.request:not([open]) + div:has(> .request-url),
.folding.headers:not([open]) + div,
.responses-inner > div:has(.folding.documented:not([open])) + .responses-table,
.responses-inner > div:has(.folding.documented) > h4,
.folding.headers + div > h5,
.folding.request .curl-command > h4 {
  display: none;
}

.swagger-ui .parameters-col_description textarea {
  min-height: 60px;
  height: 60px;
}

@media (max-width: 640px) {
  .swagger-ui .wrapper {
    padding: 0 10px;
  }

  .swagger-ui .info {
    margin: 16px 0;
  }

  .swagger-ui .info .title {
    font-size: 24px;
    overflow-wrap: anywhere;
  }

  .swagger-ui .info .title small {
    top: 0;
    vertical-align: middle;
  }

  .swagger-ui .info .title small,
  .swagger-ui .info .title small pre {
    white-space: nowrap;
    overflow-wrap: normal;
  }

  .swagger-ui .opblock .opblock-summary {
    padding: 5px;
  }

  .swagger-ui .opblock .opblock-summary-method {
    min-width: 64px;
    padding: 6px 0;
  }

  .swagger-ui .opblock .opblock-summary-path {
    max-width: 100%;
    font-size: 14px;
    overflow-wrap: anywhere;
  }

  .swagger-ui .opblock .opblock-section-header {
    padding: 8px 10px;
  }

  .swagger-ui .opblock .tab-header .tab-item:first-of-type {
    padding: 0 10px 0 0;
  }

  .swagger-ui .opblock .tab-header .tab-item.active h4 span::after {
    display: none;
  }

  .swagger-ui .opblock .try-out {
    display: flex;
    gap: 8px;
  }

  .swagger-ui .opblock .btn.try-out__btn {
    margin: 0;
    padding: 5px 12px;
  }

  .swagger-ui .opblock-body .execute-wrapper,
  .swagger-ui .parameters-container,
  .swagger-ui .responses-inner {
    padding: 10px;
  }

  .swagger-ui table.parameters,
  .swagger-ui table.parameters > tbody,
  .swagger-ui table.parameters > tbody > tr,
  .swagger-ui table.parameters > tbody > tr > td,
  .swagger-ui table.responses-table,
  .swagger-ui table.responses-table > tbody,
  .swagger-ui table.responses-table > tbody > tr,
  .swagger-ui table.responses-table > tbody > tr > td {
    display: block;
    width: auto;
    min-width: 0;
    max-width: 100%;
    padding: 4px 0;
  }

  .swagger-ui table.parameters > thead,
  .swagger-ui table.responses-table > thead {
    display: none;
  }

  .swagger-ui .parameters-col_description input[type='text'],
  .swagger-ui .parameters-col_description select,
  .swagger-ui .body-param textarea {
    width: 100%;
    max-width: 100%;
    font-size: 16px;
  }

  .swagger-ui .dialog-ux .modal-ux {
    width: calc(100% - 20px);
    min-width: 0;
  }

  .swagger-ui .auth-container section {
    display: block;
    width: 100%;
    max-width: 100%;
  }

  .swagger-ui .dialog-ux .auth-container input {
    width: 100%;
    min-width: 0;
    font-size: 16px;
  }

  .swagger-ui .highlight-code,
  .swagger-ui .responses-inner pre {
    max-width: 100%;
    overflow-x: auto;
  }

  .swagger-ui .responses-inner pre,
  .swagger-ui .responses-inner pre code {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }

  .trace {
    padding: 10px 12px;
  }

  .trace-kind {
    min-width: 58px;
  }

  .trace ol ol {
    margin-left: 2px;
    padding-left: 8px;
  }
}
`;
