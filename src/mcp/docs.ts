import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toAnchor } from '../lib/anchor.js'
import { DOCS_DIR } from '../lib/package-folder.js'

/** A part of a page of the documentation: what stands under a heading of the second level, or before the first. */
export type DocsSection = { id: string; title: string; text: string }

export type DocsPage = { id: string; title: string; summary: string; text: string; sections: DocsSection[] }

/** All pages of `docs/`, by name; none where the package was installed without them. */
export function readDocs(folder = DOCS_DIR): DocsPage[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'))
  return files.sort().map((file) => parsePage(file.slice(0, -'.md'.length), join(folder, file)))
}

function parsePage(id: string, path: string): DocsPage {
  const text = readFileSync(path, 'utf8')
  const [first = '', ...rest] = text.split(/^(?=## )/m)
  const title = /^# (.+)$/m.exec(first)?.[1] ?? id
  const sections = rest.map((part): DocsSection => {
    const heading = /^## (.+)$/m.exec(part)?.[1] ?? ''
    return { id: toAnchor(heading), title: heading, text: part }
  })
  const summary = summarize(first)
  return { id, title, summary, text, sections: [{ id: 'introduction', title, text: first }, ...sections] }
}

/** The first sentence after the title, without links. */
function summarize(introduction: string): string {
  const paragraph = introduction.split('\n\n')[1] ?? ''
  const plain = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}

/** What those who call the API read; the other pages are for those who run or change the service. */
const CALLER_PAGES = [
  'mcp',
  'api',
  'accounts-and-plans',
  'websocket',
  'webhooks',
  'ledger',
  'glossary',
  'pages',
]

/** Of `/llms-full.txt`. What does not fit is left out at the end, whole pages at a time. */
const FULL_BYTES_MAX = 512 * 1024

const ABOUT = `# Auspex

> Prediction-market data from a machine of your own: every trade, position, profit and leaderboard of wallets, order books, prices of coins and games, over HTTP, WebSocket, webhooks and MCP.

Requests need an API key in the header \`x-api-key\`. This text and the documents below need none.`

const SERVED = [
  ['/llms-full.txt', 'the pages below that are for callers, in one text'],
  ['/openapi.json', 'every operation of the HTTP API, OpenAPI 3.1'],
  ['/asyncapi.json', 'every message of the WebSockets, AsyncAPI 3'],
  ['/docs', 'the same for people'],
  ['/mcp', 'tools for models over streamable HTTP; `auspex mcp` has them over stdio'],
]

/** The text of `/llms.txt`: what this is, and which page says what. */
export function writeLlmsIndex(pages: readonly DocsPage[]): string {
  const served = SERVED.map(([path = '', what]) => `- [${path}](${path}): ${what}`)
  const list = (isForCallers: boolean) =>
    pages
      .filter(({ id }) => CALLER_PAGES.includes(id) === isForCallers)
      .map(({ title, summary, id }) => `- ${title} (\`docs/${id}.md\`): ${summary}`)
  return [
    ABOUT,
    `## Documents\n\n${served.join('\n')}`,
    `## Pages in /llms-full.txt\n\n${list(true).join('\n')}`,
    `## Pages of the package, for those who run it\n\n${list(false).join('\n')}`,
    '',
  ].join('\n\n')
}

/** The text of `/llms-full.txt`. */
export function writeLlmsFull(pages: readonly DocsPage[]): string {
  let text = `${ABOUT}\n`
  for (const id of CALLER_PAGES) {
    const next = `\n\n${pages.find((page) => page.id === id)?.text ?? ''}`
    if (Buffer.byteLength(text) + Buffer.byteLength(next) <= FULL_BYTES_MAX) text += next
  }
  return text
}

const SCHEME = 'auspex://docs/'

/** A page or a section, by its address; longer ones are shown with what they consist of. */
const RESOURCE_BYTES_MAX = 25_000

export const uriOf = (page: DocsPage, section?: DocsSection): string =>
  `${SCHEME}${page.id}${section === undefined ? '' : `/${section.id}`}`

/** The text of a page or section; `undefined`: there is none at this address. */
export function findDocsText(pages: readonly DocsPage[], uri: string): string | undefined {
  const [id, sectionId] = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length).split('/') : []
  const page = pages.find((each) => each.id === id)
  if (page === undefined) return undefined
  if (sectionId !== undefined) return page.sections.find((each) => each.id === sectionId)?.text
  if (Buffer.byteLength(page.text) <= RESOURCE_BYTES_MAX) return page.text
  const contents = page.sections.map((section) => `- ${section.title}: ${uriOf(page, section)}`)
  return `${page.sections[0]?.text ?? ''}\n\nSections of this page:\n\n${contents.join('\n')}\n`
}
