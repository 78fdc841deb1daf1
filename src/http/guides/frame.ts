import { escapeHtml } from '../../lib/escape-html.js'
import { PAGE_BAR } from '../page-bar.js'
import { GUIDE_GROUPS, type Guide } from './guides.js'
import type { FoundSection } from './search.js'

/** A page of the guide, with the navigation over all of them. */
export const renderGuidePage = (guide: Guide): string =>
  frame({
    title: guide.title,
    current: guide.name,
    main: `<article>${guide.html}</article>`,
    aside: renderContents(guide),
  })

/** Where a reader begins. */
export const renderGuideIndex = (): string =>
  frame({
    title: 'Documentation',
    main: `<h1>Documentation</h1>
<p>Guides, references and reasons of Auspex. The <a href="/docs">REST reference</a> and the
<a href="/docs/websocket">reference of the streams</a> try requests and list every field.</p>
${GUIDE_GROUPS.map(
  ({ title, guides }) =>
    `<h2>${title}</h2>\n<ul>${guides.map((each) => renderGuideLink(each)).join('')}</ul>`,
).join('\n')}`,
  })

export function renderSearchPage(query: string, found: readonly FoundSection[]): string {
  const items = found.map(
    ({ guide, heading, anchor, snippet }) => `<li>
  <a href="/docs/guides/${guide.name}#${anchor}">${escapeHtml(heading)}</a> <small>${escapeHtml(guide.title)}</small>
  <p>${escapeHtml(snippet)}</p>
</li>`,
  )
  const result =
    query === ''
      ? '<p>Type some words into the field on the left.</p>'
      : found.length === 0
        ? `<p>Nothing has all of the words <b>${escapeHtml(query)}</b>. Try fewer of them.</p>`
        : `<ol class="found">${items.join('\n')}</ol>`
  return frame({ title: 'Search', query, main: `<h1>Search</h1>\n${result}` })
}

type Frame = { title: string; main: string; aside?: string; current?: string; query?: string }

const frame = ({ title, main, aside = '', current, query = '' }: Frame): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Auspex</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/guides.css">
<script src="/docs/guides.js"></script>
</head>
<body>
${PAGE_BAR}
<div class="columns">
<nav class="guides" aria-label="Guides">
<form action="/docs/search" role="search">
<input type="search" name="q" value="${escapeHtml(query)}" placeholder="Search the docs" aria-label="Search the docs" maxlength="100">
</form>
<p><a href="/docs">REST reference</a></p>
<p><a href="/docs/websocket">Streams reference</a></p>
${GUIDE_GROUPS.map(
  ({ title: group, guides }) => `<h2>${group}</h2>
<ul>${guides.map((each) => renderGuideLink(each, current)).join('')}</ul>`,
).join('\n')}
<button type="button" id="theme">Light or dark</button>
</nav>
<main>${main}</main>
${aside}
</div>
</body>
</html>
`

function renderGuideLink({ name, title }: { name: string; title: string }, current?: string): string {
  const mark = name === current ? ' aria-current="page"' : ''
  return `<li><a href="/docs/guides/${name}"${mark}>${escapeHtml(title)}</a></li>`
}

const renderContents = ({ contents }: Guide): string =>
  contents.length < 2
    ? ''
    : `<aside><nav aria-label="On this page"><h2>On this page</h2><ul>${contents
        .map(({ heading, anchor }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`)
        .join('')}</ul></nav></aside>`
