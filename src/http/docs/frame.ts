import { escapeHtml } from '../../lib/escape-html.js'
import { GUIDE_GROUPS } from './guides.js'

type Link = { path: string; title: string }

/** The links that the pages of web/ have too. */
const PAGES: readonly Link[] = [
  { path: '/', title: 'Auspex' },
  { path: '/leaderboard', title: 'Leaderboard' },
  { path: '/crypto', title: 'Crypto' },
  { path: '/sports', title: 'Sports' },
  { path: '/status', title: 'Status' },
  { path: '/account', title: 'Account' },
  { path: '/docs', title: 'Docs' },
]

export const REST_REFERENCE: Link = { path: '/docs', title: 'REST reference' }
export const STREAM_REFERENCE: Link = { path: '/docs/websocket', title: 'Streams reference' }

const [start, ...others] = GUIDE_GROUPS.map(({ title, guides }) => ({
  title,
  links: guides.map(({ name, title }): Link => ({ path: `/docs/guides/${name}`, title })),
}))

/** All pages of the documentation, in the order in which the navigation has them. */
export const DOCS_NAVIGATION = [
  ...(start === undefined ? [] : [start]),
  { title: 'Reference', links: [REST_REFERENCE, STREAM_REFERENCE] },
  ...others,
]

/** For pages whose scripts and styles are those of the frame. Nothing comes from another host. */
export const FRAME_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

type DocsPage = {
  title: string
  /** HTML. */
  main: string
  /** Headings of the page, for the list beside it. */
  contents?: readonly { heading: string; anchor: string }[]
  /** Which link of the navigation it is. */
  path?: string
  /** What was searched for. */
  query?: string
  /** Further elements of the head. */
  head?: string
  /** Whether the styles of texts are for it; a page with styles of its own says false. */
  isProse?: boolean
}

/** A page of the documentation: guides, references and the search have the same bar, navigation and colours. */
export function frameDocs(page: DocsPage): string {
  const { title, main, contents = [], path, query = '', head = '', isProse = true } = page
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Auspex</title>
<link rel="icon" href="data:,">
${head}
<link rel="stylesheet" href="/docs/look.css">
<script src="/docs/look.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<nav aria-label="Pages">${PAGES.map((link) => renderLink(link)).join('')}</nav>
<form action="/docs/search" role="search">
<input type="search" name="q" value="${escapeHtml(query)}" placeholder="Search the docs" aria-label="Search the docs" maxlength="100">
</form>
<button type="button" id="theme">Light or dark</button>
<a class="to-navigation" href="#navigation">All pages of the docs</a>
</header>
<div class="columns${contents.length < 2 ? ' broad' : ''}">
<nav class="navigation" id="navigation" aria-label="Documentation">
${DOCS_NAVIGATION.map(
  ({ title: group, links }) => `<h2>${group}</h2>
<ul>${links.map((link) => `<li>${renderLink(link, path)}</li>`).join('')}</ul>`,
).join('\n')}
</nav>
<main id="content"${isProse ? ' class="prose"' : ''}>${main}</main>
${renderContents(contents)}
</div>
</body>
</html>
`
}

const renderLink = ({ path, title }: Link, current?: string): string =>
  `<a href="${path}"${path === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`

const renderContents = (contents: NonNullable<DocsPage['contents']>): string =>
  contents.length < 2
    ? ''
    : `<aside><nav aria-label="On this page"><h2>On this page</h2><ul>${contents
        .map(({ heading, anchor }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`)
        .join('')}</ul></nav></aside>`
