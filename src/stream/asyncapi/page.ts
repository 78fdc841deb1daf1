import { PLANS } from '../../accounts/plans.js'
import type { AsyncApiDocument, AsyncApiMessage, Channel } from './document.js'

/** The part of a JSON schema that the page shows. */
type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

const STYLE = `
  :root { color-scheme: light dark }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 62rem; margin: 3rem auto; padding: 0 1rem }
  code, pre { background: #8882; border-radius: .2em }
  code { padding: .1em .3em }
  pre { padding: .8em; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere }
  pre code, td code { background: none; padding: 0 }
  table { border-collapse: collapse; width: 100% }
  td, th { text-align: left; vertical-align: top; padding: .2em .8em .2em 0; border-top: 1px solid #8884 }
  summary { cursor: pointer; padding: .3em 0 }
  nav a { margin-right: 1em }
`

/** A page that shows the document. It loads nothing and runs no script. */
export function renderStreamPage(document: AsyncApiDocument): string {
  const { info, channels, components } = document
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(info.title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<nav><a href="/">Auspex</a> <a href="/docs">REST reference</a> <a href="/asyncapi.json">AsyncAPI document</a></nav>
<h1>${escapeHtml(info.title)}</h1>
${info.description
  .split('\n\n')
  .map((text) => `<p>${renderText(text)}</p>`)
  .join('\n')}
<p>Follow live trades in a terminal:</p>
<pre><code>auspex tail trades --key &lt;your key&gt;</code></pre>
${Object.entries(channels)
  .map(([name, channel]) => renderChannel(name, channel, document))
  .join('\n')}
<h2 id="limits">Limits of the plans</h2>
${renderPlans()}
<h2 id="messages">Messages</h2>
${Object.values(components.messages).map(renderMessage).join('\n')}
</html>
`
}

function renderChannel(name: string, channel: Channel, { operations }: AsyncApiDocument): string {
  const { title, description, address, bindings } = channel
  const parameters = Object.entries(bindings.ws.query.properties).map(([parameter, about]) => [
    `<code>${parameter}</code>`,
    renderText(about.description),
  ])
  const rows = Object.values(operations)
    .filter((operation) => operation.channel.$ref === `#/channels/${name}`)
    .map(({ action, summary, messages, reply }) => [
      action === 'receive' ? 'you send' : 'you receive',
      renderText(summary),
      messages.map(linkMessage).join(', '),
      (reply?.messages ?? []).map(linkMessage).join(', '),
    ])
  return `<h2 id="${name}">${escapeHtml(title)}</h2>
<p><code>ws://&lt;host&gt;${escapeHtml(address)}?key=&lt;your key&gt;</code>. ${renderText(description)}</p>
${renderTable(['Parameter', ''], parameters)}
${renderTable(['', '', 'Messages', 'Answered by'], rows)}`
}

const linkMessage = ({ $ref }: { $ref: string }): string => {
  const name = $ref.slice($ref.lastIndexOf('/') + 1)
  return `<a href="#${name}"><code>${name}</code></a>`
}

function renderMessage({ name, title, summary, payload, examples }: AsyncApiMessage): string {
  const rows = listFields(payload as Schema).map(([path, type, description]) => [
    `<code>${escapeHtml(path)}</code>`,
    escapeHtml(type),
    renderText(description),
  ])
  const shown = examples.map(
    (example) =>
      `<p>${renderText(example.name)}</p>\n<pre><code>${escapeHtml(JSON.stringify(example.payload))}</code></pre>`,
  )
  return `<h3 id="${name}"><code>${name}</code></h3>
<p>${title === name ? '' : `<strong>${escapeHtml(title)}.</strong> `}${renderText(summary)}</p>
${shown.join('\n')}
<details><summary>Fields</summary>
${renderTable(['Field', 'Type', ''], rows)}
</details>`
}

type FieldRow = [path: string, type: string, description: string]

/** All fields, those of objects below them by their path. `?`: the field may be missing. */
function listFields(schema: Schema, above = ''): FieldRow[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, field]): FieldRow[] => {
    const path = `${above}${name}`
    const row: FieldRow = [
      required.includes(name) ? path : `${path}?`,
      nameType(field),
      field.description ?? '',
    ]
    const parts = [field, ...(field.anyOf ?? [])]
    return [
      row,
      ...parts.flatMap((part) => listFields(part, `${path}.`)),
      ...parts.flatMap(({ items }) =>
        [items ?? {}, ...(items?.anyOf ?? [])].flatMap((item) => listFields(item, `${path}[].`)),
      ),
    ]
  })
}

function nameType(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(nameType).join(' | ')
  if (schema.type === 'array') return `${nameType(schema.items ?? {})}[]`
  return schema.type ?? 'any'
}

const PLAN_LIMITS = {
  eventSocketsMax: 'Event sockets',
  orderbookSocketsMax: 'Orderbook sockets',
  firehosesMax: 'Unfiltered connections',
  filterItemsMax: 'Filter items of a subscription',
  socketSecondsPerDay: 'Seconds a day (UTC)',
  snapshotCountMax: '`snapshot_count`',
  sinceLookbackMs: '`since`, milliseconds back',
} as const

function renderPlans(): string {
  const plans = Object.values(PLANS)
  const rows = Object.entries(PLAN_LIMITS).map(([grant, title]) => [
    renderText(title),
    ...plans.map((plan) => plan[grant as keyof typeof PLAN_LIMITS]?.toLocaleString('en-US') ?? '∞'),
  ])
  return renderTable(['', ...plans.map(({ id }) => id)], rows)
}

/** Cells are HTML. */
function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<table>\n${line('th', head)}\n${rows.map((cells) => line('td', cells)).join('\n')}\n</table>`
}

/** Text of the document, with code in backticks. */
const renderText = (text: string): string =>
  escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter] ?? '&quot;',
  )
