/** The CSS of the test page: small screens, and traces. */

export const style = `body {
  margin: 0;
  background: #fafafa;
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

.trace {
  margin: 12px 0 4px;
  padding: 12px 16px 14px;
  border-radius: 4px;
  background: #fff;
  border: 1px solid #d8dde7;
  color: #3b4151;
  font: 13px/1.5 system-ui, sans-serif;
}

.swagger-ui .trace h4 {
  margin: 0 0 8px;
  font: 700 14px/1.4 system-ui, sans-serif;
}

.swagger-ui .trace .trace-note {
  margin: 0;
  color: #5b6472;
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
  border-left: 2px solid #e1e5ec;
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
  color: #5b6472;
  font-size: 12px;
}

.trace-name {
  font-weight: 600;
}

.swagger-ui .trace code {
  padding: 0 4px;
  border-radius: 3px;
  background: #eef1f6;
  color: #2b3240;
  font: 12px/1.5 ui-monospace, monospace;
  overflow-wrap: anywhere;
}

.trace-outcome {
  padding: 0 7px;
  border-radius: 9px;
  background: #e3f4ea;
  color: #14633a;
  font-size: 12px;
}

.trace-not {
  opacity: 0.75;
}

.trace-not .trace-outcome {
  background: #eceef2;
  color: #4a5262;
}

.trace-exception:not(.trace-not) .trace-outcome {
  background: #fce4e4;
  color: #9b1c1c;
}

.trace-facts {
  margin-left: auto;
  color: #5b6472;
  font-size: 12px;
  font-variant-numeric: tabular-nums;
}

.swagger-ui .trace pre {
  margin: 4px 0 8px;
  padding: 8px 10px;
  border-radius: 4px;
  background: #f3f5f9;
  color: #23304a;
  font: 12px/1.5 ui-monospace, monospace;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}

.trace summary {
  color: #5b6472;
  font-size: 12px;
  cursor: pointer;
}

.swagger-ui .trace .trace-failure {
  margin: 4px 0;
  color: #9b1c1c;
  font: inherit;
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
