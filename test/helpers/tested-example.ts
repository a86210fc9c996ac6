/**
 * The configuration tested by the examples of explanations in the part `tests`. `described`: the weather API has the description api.yaml.
 */
export function testedConfig(described: boolean): string {
  return described ? `${testedExample}    description: api.yaml\n` : testedExample;
}

const testedExample = `specification: "1.0"
operations:
  'GET /news/{id}':
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id, title FROM news WHERE id = :[PARAM(id)]
      - name: weather
        type: READ
        datasource: weather
        instructions:
          - request:
              url: /forecast
              httpType: GET
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          id: VALUE(news, $.id)
          title: VALUE(news, $.title)
          weather: VALUE(weather, $.text)
  clean up:
    triggers:
      - name: daily
        cron: '0 0 3 * * *'
    fulfillments:
      - name: gone
        type: UPDATE
        datasource: newsdb
        instructions:
          - query: DELETE FROM news WHERE title = ''
datasources:
  newsdb:
    type: db
    url: jdbc:postgresql://localhost:5432/news
  weather:
    type: rest
    url: https://weather.example.com
`;
