import { describe, expect, test } from 'vitest'
import { addCodeSamples } from './code-samples.js'

const sampleOf = (method: string, path: string, operation: object, components: object = {}): string => {
  const document = {
    paths: { [path]: { [method]: { description: 'What it does.', ...operation } } },
    components,
  }
  return JSON.parse(addCodeSamples(JSON.stringify(document))).paths[path][method].description
}

describe('samples of an operation', () => {
  test('have the values that the document has for what is needed', () => {
    const parameters = [
      { $ref: '#/components/parameters/address' },
      { name: 'from', in: 'query', required: true, example: 5 },
      { name: 'limit', in: 'query', schema: { default: 100 } },
    ]
    const address = { name: 'address', in: 'path', required: true, example: '0xab' }
    expect(sampleOf('get', '/v3/wallets/{address}/x', { parameters }, { parameters: { address } })).toBe(
      [
        'What it does.',
        '**curl**',
        '```sh\ncurl -H "x-api-key: $AUSPEX_KEY" "$AUSPEX_URL/v3/wallets/0xab/x?from=5"\n```',
        '**TypeScript**',
        [
          '```ts',
          "import { AuspexClient } from 'auspex-client'",
          "const auspex = new AuspexClient({ baseUrl: process.env.AUSPEX_URL ?? '', apiKey: process.env.AUSPEX_KEY })",
          `console.log(await auspex.get('/v3/wallets/{address}/x', { path: {"address":"0xab"}, query: {"from":5} }))`,
          '```',
        ].join('\n'),
        '**Python**',
        [
          '```python',
          'import os, requests',
          'print(requests.get(os.environ["AUSPEX_URL"] + "/v3/wallets/0xab/x", params={"from": 5}, headers={"x-api-key": os.environ["AUSPEX_KEY"]}).json())',
          '```',
        ].join('\n'),
      ].join('\n\n'),
    )
  })

  test('have the body', () => {
    const example = { url: 'https://a.example', active: true, description: null, list: ['x'] }
    const requestBody = { content: { 'application/json': { example } } }
    const text = sampleOf('post', '/v3/webhooks', { requestBody })
    expect(text).toContain(
      `curl -X POST -H "x-api-key: $AUSPEX_KEY" -H 'content-type: application/json' -d '${JSON.stringify(example)}'`,
    )
    expect(text).toContain(
      'json={"url": "https://a.example", "active": True, "description": None, "list": ["x"]}',
    )
    expect(text).toContain(`auspex.post('/v3/webhooks', { body: ${JSON.stringify(example)} })`)
  })
})
