import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance } from 'fastify'
import { VERSION } from '../lib/version.js'

const SUMMARY = 'Prediction-market data from your own machine.'

const LINKS = {
  docs: '/docs',
  openapi: '/openapi.json',
  websocket_docs: '/docs/websocket',
  asyncapi: '/asyncapi.json',
  create_key: '/v1/keys',
  status: '/v1/status',
  ready: '/readyz',
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Auspex</title>
<link rel="icon" href="data:,">
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 38rem; margin: 4rem auto; padding: 0 1rem }
  code { background: #8882; padding: .1em .3em }
</style>
<h1>Auspex</h1>
<p>${SUMMARY} This is version ${VERSION}.</p>
<ul>
  <li><a href="/docs">The reference</a>, where every endpoint can be tried, and
    <a href="/openapi.json">the OpenAPI document</a> for clients and generators
  <li><a href="/docs/websocket">The streams</a>: live events, prices and order books over WebSocket, and
    <a href="/asyncapi.json">the AsyncAPI document</a>
  <li><a href="/readyz">Whether this service is ready</a>
  <li><code>POST /v1/keys</code> makes a key. Send it in the header <code>x-api-key</code>.
</ul>
</html>
`

/** Says at `GET /` what this is and where its documentation is: a page for browsers, JSON for programs. */
export function showFrontPage(app: FastifyInstance): void {
  const body = { name: 'auspex', version: VERSION, description: SUMMARY, ...LINKS }
  app.get('/', { schema: { hide: true } }, async ({ headers }, reply) => {
    reply.header('vary', 'accept')
    const type = negotiate(headers.accept ?? '', ['application/json', 'text/html'])
    if (type !== 'text/html') return body
    return reply
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
      .type('text/html; charset=utf-8')
      .send(PAGE)
  })
}
