import type { FastifyInstance, FastifyReply } from 'fastify'
import { badRequest, notFound } from '../../core/errors.js'
import { type Compressor, createCompressionHook } from '../compression.js'
import { FRAME_POLICY } from './frame.js'
import { renderGuideIndex, renderGuidePage, renderSearchPage } from './guide-pages.js'
import { findGuide, GUIDE_NAMES } from './guides.js'
import { SCRIPT, STYLE } from './look.js'
import { DocsSearch, type SearchEntry } from './search.js'

const QUERY_CHARS_MAX = 100

type DocsParts = {
  compressor: Compressor
  /** What the references have for the search. */
  listReferences: () => SearchEntry[]
}

/** Serves the pages of docs/, and a search over them and the references. Each is made at its first use. */
export function showGuides(app: FastifyInstance, { compressor, listReferences }: DocsParts): void {
  const options = { schema: { hide: true }, onSend: createCompressionHook(compressor) }
  const send = (reply: FastifyReply, page: string) =>
    reply
      .headers({ 'content-security-policy': FRAME_POLICY, 'cache-control': 'no-cache' })
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
  let search: DocsSearch | undefined
  app.get<{ Querystring: { q?: unknown } }>('/docs/search', options, ({ query: { q = '' } }, reply) => {
    if (typeof q !== 'string' || q.length > QUERY_CHARS_MAX) {
      throw badRequest(`q must be one text of at most ${QUERY_CHARS_MAX} characters.`, { field: 'q' })
    }
    search ??= new DocsSearch([...listGuideSections(), ...listReferences()])
    return send(reply, renderSearchPage(q.trim(), search.find(q)))
  })
  const files = { '/docs/look.css': ['text/css', STYLE], '/docs/look.js': ['text/javascript', SCRIPT] }
  for (const [path, [type = '', text]] of Object.entries(files)) {
    app.get(path, options, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=600').type(`${type}; charset=utf-8`).send(text),
    )
  }
}

const listGuideSections = (): SearchEntry[] =>
  GUIDE_NAMES.flatMap((name) => findGuide(name)?.sections ?? []).map(({ guide, heading, anchor, text }) => ({
    page: guide.title,
    heading,
    href: `/docs/guides/${guide.name}#${anchor}`,
    text,
  }))
