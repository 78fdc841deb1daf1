import { escapeHtml } from '../../lib/escape-html.js'
import { DOCS_NAVIGATION, frameDocs } from './frame.js'
import type { Guide } from './guides.js'
import type { FoundEntry } from './search.js'

export const renderGuidePage = ({ name, title, html, contents }: Guide): string =>
  frameDocs({ title, path: `/docs/guides/${name}`, main: `<article>${html}</article>`, contents })

/** Where a reader begins. */
export const renderGuideIndex = (): string =>
  frameDocs({
    title: 'Documentation',
    main: `<h1>Documentation</h1>
${DOCS_NAVIGATION.map(
  ({ title, links }) =>
    `<h2>${title}</h2>\n<ul>${links.map((link) => `<li><a href="${link.path}">${escapeHtml(link.title)}</a></li>`).join('')}</ul>`,
).join('\n')}`,
  })

export function renderSearchPage(query: string, found: readonly FoundEntry[]): string {
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
