import type { FastifyInstance, FastifyReply } from 'fastify'
import { badRequest, notFound } from '../../core/errors.js'
import { type Compressor, createCompressionHook } from '../compression.js'
import { renderGuideIndex, renderGuidePage, renderSearchPage } from './frame.js'
import { findGuide, GUIDE_NAMES } from './guides.js'
import { SCRIPT, STYLE } from './look.js'
import { searchGuides } from './search.js'

/** Nothing comes from another host, and nothing that is written into a page runs. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; form-action 'self'"
const QUERY_CHARS_MAX = 100

/** Serves the pages of docs/, and a search over them. Each is rendered at its first use. */
export function showGuides(app: FastifyInstance, compressor: Compressor): void {
  const options = { schema: { hide: true }, onSend: createCompressionHook(compressor) }
  const send = (reply: FastifyReply, page: string) =>
    reply
      .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page)
  app.get('/docs/guides', options, (_request, reply) => send(reply, renderGuideIndex()))
  app.get<{ Params: { name: string } }>('/docs/guides/:name', options, ({ params: { name } }, reply) => {
    const guide = findGuide(name)
    if (guide === undefined) {
      throw notFound('There is no such page in the documentation.', { pages: GUIDE_NAMES })
    }
    return send(reply, renderGuidePage(guide))
  })
  app.get<{ Querystring: { q?: unknown } }>('/docs/search', options, ({ query: { q = '' } }, reply) => {
    if (typeof q !== 'string' || q.length > QUERY_CHARS_MAX) {
      throw badRequest(`q must be one text of at most ${QUERY_CHARS_MAX} characters.`, { field: 'q' })
    }
    return send(reply, renderSearchPage(q.trim(), searchGuides(q)))
  })
  const files = { '/docs/guides.css': ['text/css', STYLE], '/docs/guides.js': ['text/javascript', SCRIPT] }
  for (const [path, [type = '', text]] of Object.entries(files)) {
    app.get(path, options, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=600').type(`${type}; charset=utf-8`).send(text),
    )
  }
}
