import type { FastifyInstance } from 'fastify'
import type { Plans } from '../../accounts/plans.js'
import { type Compressor, createCompressionHook } from '../../http/compression.js'
import { FRAME_POLICY } from '../../http/docs/frame.js'
import { describeStreams, nameSchemas } from './document.js'
import { renderStreamPage } from './page.js'

/** Serves the AsyncAPI document of the streams and a page that shows it. Both are made at the first use. */
export function showStreamDocs(app: FastifyInstance, compressor: Compressor, plans: Plans): void {
  const options = { schema: { hide: true }, onSend: createCompressionHook(compressor) }
  let text: string | undefined
  app.get('/asyncapi.json', options, async (_request, reply) => {
    text ??= JSON.stringify(nameSchemas(describeStreams()))
    return reply.type('application/json; charset=utf-8').send(text)
  })
  let page: string | undefined
  app.get('/docs/websocket', options, async (_request, reply) => {
    page ??= renderStreamPage(describeStreams(), plans.offered())
    return reply
      .headers({ 'content-security-policy': FRAME_POLICY, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page)
  })
}
