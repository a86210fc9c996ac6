/** The examples run by `npm run demo`, by folder name in fixtures/services, and commands to try with each. */
export const examples = {
  news: (url) => [
    `curl ${url}/news/1`,
    `curl '${url}/news?q=pots'`,
    `curl -i -X POST ${url}/news -H 'Content-Type: application/json' -d '{"title": "Hot off the kiln", "body": "Fresh."}'`,
  ],
  'news-a': lists,
  'news-b': lists,
  shop: (url) => [
    `curl '${url}/books?sort=price'`,
    `curl ${url}/orders/1`,
    `curl -i -X POST ${url}/orders -H 'Content-Type: application/json' -d '{"customer": "Grace", "lines": [{"book": 3, "count": 1}]}'`,
  ],
  integrations: (url) => [
    `curl -u shop:shop ${url}/orders/1/rates`,
    `curl -u shop:shop -X POST ${url}/orders/1/payment`,
    `SENT=$(date +%s); SIGNED=$(printf 'msg_1.%s.{"id": "pay_1"}' $SENT | openssl dgst -sha256 -hmac secret-of-the-payment-provider -binary | base64)`,
    `curl -i -X POST ${url}/payments/events -H 'webhook-id: msg_1' -H "webhook-timestamp: $SENT" -H "webhook-signature: v1,$SIGNED" -H 'Content-Type: application/json' -d '{"id": "pay_1"}'`,
    `curl -u shop:shop -X POST ${url}/orders/1/shipment`,
    `curl -u shop:shop -X POST ${url}/orders/1/claims -F photo=@README.md -F text='Broken on arrival'`,
  ],
  saas: (url, issuer) => [
    `KILN=$(curl -s '${issuer}/token?sub=ada&tenant=kiln&scope=invoices:write+keys:write')`,
    `GLAZE=$(curl -s '${issuer}/token?sub=eve&tenant=glaze')`,
    `curl -H "Authorization: Bearer $KILN" ${url}/invoices`,
    `curl -H "Authorization: Bearer $GLAZE" ${url}/invoices`,
    `curl -i -H "Authorization: Bearer $GLAZE" ${url}/invoices/2`,
    `curl -i -X PUT ${url}/invoices/2 -H "Authorization: Bearer $KILN" -H 'If-Match: "1"' -H 'Content-Type: application/json' -d '{"customer": "Grace", "amount": 90}'`,
    `curl -H "Authorization: Bearer $KILN" '${url}/invoices.csv?year=2026'`,
    `curl -X POST ${url}/keys -H "Authorization: Bearer $KILN" -H 'Content-Type: application/json' -d '{"name": "demo", "scopes": []}'`,
    `SENT=$(date +%s); SIGNED=$(printf 'msg_1.%s.{"invoice": 2}' $SENT | openssl dgst -sha256 -hmac secret-of-the-payment-provider -binary | base64)`,
    `curl -i -X POST ${url}/payments -H 'webhook-id: msg_1' -H "webhook-timestamp: $SENT" -H "webhook-signature: v1,$SIGNED" -H 'Content-Type: application/json' -d '{"invoice": 2}'`,
  ],
  reports: (url) => [
    `curl '${url}/films?category=Action&sort=-price'`,
    `curl '${url}/revenue?from=2006-02-24&to=2006-03-31&by=store'`,
    `curl -X POST ${url}/closings`,
    `curl '${url}/charts?from=2006-02-24&to=2006-03-31'`,
    `curl ${url}/stores/2/overdue`,
  ],
};

function lists(url) {
  return [`curl ${url}/news`, `curl ${url}/news/1`, `curl ${url}/tags`];
}
