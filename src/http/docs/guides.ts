import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { toAnchor } from '../../lib/anchor.js'
import { DOCS_DIR } from '../../lib/package-folder.js'

/** The pages of docs/ by the name of the file, in the order in which the navigation has them. */
const GROUPS: Record<string, Record<string, string>> = {
  Start: {
    'quick-start': 'Quick start',
    switching: 'From a hosted service to your own',
    'first-bot': 'A first bot',
    'first-dashboard': 'A first dashboard',
    'going-live': 'Going live',
  },
  Use: {
    api: 'REST API',
    websocket: 'Streams',
    webhooks: 'Webhooks',
    mcp: 'Tools for models',
    'accounts-and-plans': 'Accounts and plans',
    pages: 'Pages',
  },
  Run: {
    operations: 'Operations',
    configuration: 'Settings',
    scaling: 'Scaling',
    books: 'Recorded books',
    archive: 'Archive',
    upstreams: 'Upstreams',
    troubleshooting: 'Troubleshooting',
  },
  Understand: {
    architecture: 'Architecture',
    ledger: 'Facts and ledger',
    decisions: 'Decisions',
    glossary: 'Glossary',
    simulator: 'Simulator',
    universes: 'Universes',
  },
}

/** A heading with what stands below it, as far as the next one. */
export type GuideSection = { guide: Guide; heading: string; anchor: string; text: string }

export type Guide = {
  name: string
  title: string
  html: string
  /** Those that the page's own list of contents shows: of the second level. */
  contents: { heading: string; anchor: string }[]
  sections: GuideSection[]
}

export const GUIDE_GROUPS = Object.entries(GROUPS).map(([title, guides]) => ({
  title,
  guides: Object.entries(guides).map(([name, guide]) => ({ name, title: guide })),
}))

const TITLES = new Map(GUIDE_GROUPS.flatMap(({ guides }) => guides.map(({ name, title }) => [name, title])))

export const GUIDE_NAMES: readonly string[] = [...TITLES.keys()]

const guides = new Map<string, Guide>()

/** The page of that name; `undefined`: there is none. Rendered at its first use. */
export function findGuide(name: string): Guide | undefined {
  const title = TITLES.get(name)
  if (title === undefined) return undefined
  const guide =
    guides.get(name) ?? renderGuide(name, title, readFileSync(join(DOCS_DIR, `${name}.md`), 'utf8'))
  guides.set(name, guide)
  return guide
}

export function renderGuide(name: string, title: string, markdown: string): Guide {
  const guide: Guide = { name, title, html: '', contents: [], sections: [] }
  const anchors = new Set<string>()
  const marked = new Marked()
  marked.use({
    walkTokens: (token) => {
      if (token.type === 'heading') {
        const heading = plainText(token.text)
        const anchor = uniqueAnchor(heading, anchors)
        Object.assign(token, { anchor })
        guide.sections.push({ guide, heading, anchor, text: '' })
        if (token.depth === 2) guide.contents.push({ heading, anchor })
      }
    },
    renderer: {
      heading(token) {
        const { anchor } = token as Tokens.Heading & { anchor: string }
        const inner = this.parser.parseInline(token.tokens)
        return `<h${token.depth} id="${anchor}"><a href="#${anchor}">${inner}</a></h${token.depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const target = toAddress(href)
        return target === undefined ? inner : `<a href="${target}">${inner}</a>`
      },
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: 'td' | 'th') =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        const head = token.header.some(({ text }) => text !== '')
          ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>`
          : ''
        // Wide tables scroll by themselves, so that a phone shows the text as wide as it is.
        return `<div class="wide"><table>${head}<tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  guide.html = marked.parse(markdown, { async: false })
  fillTexts(guide, markdown)
  return guide
}

/** What stands below each heading, for the search. */
function fillTexts({ sections }: Guide, markdown: string): void {
  let isCode = false
  let index = -1
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const isHeading = !isCode && /^#{1,6} /.test(line)
    if (isHeading) index++
    const section = sections[index]
    if (section !== undefined && !isHeading) section.text += `${plainText(line)}\n`
  }
}

/** Without the marks of Markdown. */
const plainText = (text: string): string =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|^#+ |^-{3,}$/g, '')
    .replaceAll(/ {2,}|-{3,}/g, ' ')
    .trim()

/** Anchors as GitHub makes them, so that links work there and on the pages of the service. */
function uniqueAnchor(heading: string, taken: Set<string>): string {
  const plain = toAnchor(heading)
  let anchor = plain
  for (let count = 1; taken.has(anchor); count++) anchor = `${plain}-${count}`
  taken.add(anchor)
  return anchor
}

/** `undefined`: a file of the repository that this site does not show. */
function toAddress(href: string): string | undefined {
  if (/^(https?:|#|\/)/.test(href)) return href
  const [, name = '', anchor = ''] = /^(?:docs\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return TITLES.has(name) ? `/docs/guides/${name}${anchor}` : undefined
}
