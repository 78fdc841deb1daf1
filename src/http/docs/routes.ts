import type { FastifyInstance, FastifyReply } from 'fastify'
import { badRequest, notFound } from '../../core/errors.js'
import { escapeHtml } from '../../lib/escape-html.js'
import { type Compressor, createCompressionHook } from '../compression.js'
import { DOCS_NAVIGATION, FRAME_POLICY, frameDocs } from './frame.js'
import { findGuide, GUIDE_NAMES, type Guide } from './guides.js'
import { SCRIPT, STYLE } from './look.js'
import { DocsSearch, type FoundEntry, type SearchEntry } from './search.js'

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

const renderGuidePage = ({ name, title, html, contents }: Guide): string =>
  frameDocs({ title, path: `/docs/guides/${name}`, main: `<article>${html}</article>`, contents })

/** Where a reader begins. */
const renderGuideIndex = (): string =>
  frameDocs({
    title: 'Documentation',
    main: `<h1>Documentation</h1>
${DOCS_NAVIGATION.map(
  ({ title, links }) =>
    `<h2>${title}</h2>\n<ul>${links.map((link) => `<li><a href="${link.path}">${escapeHtml(link.title)}</a></li>`).join('')}</ul>`,
).join('\n')}`,
  })

function renderSearchPage(query: string, found: readonly FoundEntry[]): string {
  const items = found.map(
    ({ page, heading, href, snippet }) => `<li>
  <a href="${href}">${escapeHtml(heading)}</a> <small>${escapeHtml(page)}</small>
  <p>${snippet.map(({ text, isFound }) => (isFound ? `<mark>${escapeHtml(text)}</mark>` : escapeHtml(text))).join('')}</p>
</li>`,
  )
  const result =
    query === ''
      ? '<p>Type some words into the field at the top: it searches the guides and both references.</p>'
      : found.length === 0
        ? `<p>Nothing has all of the words <b>${escapeHtml(query)}</b>. Try fewer of them.</p>`
        : `<ol class="found">${items.join('\n')}</ol>`
  return frameDocs({ title: 'Search', query, main: `<h1>Search</h1>\n${result}` })
}
