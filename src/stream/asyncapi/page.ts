import type { Plan } from '../../accounts/plans.js'
import { PRESETS } from '../../events/registry.js'
import { frameDocs, STREAM_REFERENCE } from '../../http/docs/frame.js'
import type { SearchEntry } from '../../http/docs/search.js'
import { escapeHtml } from '../../lib/escape-html.js'
import { BOOK_ERRORS, STREAM_ERRORS } from '../messages.js'
import type { AsyncApiDocument } from './document.js'
import { STREAM_SAMPLES } from './samples.js'

type Channel = AsyncApiDocument['channels']['events' | 'orderbook' | 'replay']
type DocumentMessage = AsyncApiDocument['components']['messages'][string]

/** The page that shows the document, in the frame of the other pages of the documentation. */
export function renderStreamPage(document: AsyncApiDocument, plans: readonly Plan[]): string {
  const { info, channels, components } = document
  const paragraphs = info.description.split('\n\n').map((text) => `<p>${renderText(text)}</p>`)
  const sockets = Object.entries(channels).map(([name, channel]) =>
    renderChannel(name as keyof typeof STREAM_SAMPLES, channel, document),
  )
  const main = `<h1>${escapeHtml(info.title)}</h1>
${paragraphs.join('\n')}
<p><a href="/docs/guides/websocket">The guide</a> says how they behave; programs read <a href="/asyncapi.json">the AsyncAPI
document</a>.</p>
${sockets.join('\n')}
<h2 id="types">Types of subscriptions</h2>
${renderPresets()}
<h2 id="limits">Limits of the plans</h2>
${renderPlans(plans)}
<h2 id="errors">Errors</h2>
${renderErrors()}
<h2 id="messages">Messages</h2>
${Object.values(components.messages).map(renderMessage).join('\n')}`
  const contents = [
    ...Object.entries(channels).map(([anchor, { title }]) => ({ anchor, heading: title })),
    { anchor: 'types', heading: 'Types' },
    { anchor: 'limits', heading: 'Limits' },
    { anchor: 'errors', heading: 'Errors' },
    { anchor: 'messages', heading: 'Messages' },
  ]
  return frameDocs({ ...STREAM_REFERENCE, main, contents })
}

/** The messages of the page, for the search. */
export const listStreamMessages = ({ components }: AsyncApiDocument): SearchEntry[] =>
  Object.values(components.messages).map(({ name, title, summary, payload }) => ({
    page: STREAM_REFERENCE.title,
    heading: name === title ? name : `${name}: ${title}`,
    href: `${STREAM_REFERENCE.path}#${name}`,
    text: [summary, ...listFields(payload).map(({ path, description }) => `${path} ${description}`)].join(
      '\n',
    ),
  }))

function renderChannel(
  name: keyof typeof STREAM_SAMPLES,
  channel: Channel,
  { operations }: AsyncApiDocument,
): string {
  const { title, description, address, bindings } = channel
  const parameters = Object.entries(bindings.ws.query.properties).map(([parameter, about]) => [
    renderCode(parameter),
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
<p>${renderCode(`ws://<host>${address}?key=<your key>`)}. ${renderText(description)}</p>
${STREAM_SAMPLES[name].map(({ title, code }) => `<h3>${title}</h3>\n<pre><code>${escapeHtml(code)}</code></pre>`).join('\n')}
<h3>Parameters and messages</h3>
${renderTable(['Parameter', ''], parameters)}
${renderTable(['', '', 'Messages', 'Answered by'], rows)}`
}

function linkMessage({ $ref }: { $ref: string }): string {
  const name = $ref.slice($ref.lastIndexOf('/') + 1)
  return `<a href="#${name}">${renderCode(name)}</a>`
}

function renderPresets(): string {
  const rows = [...PRESETS].map(([type, { events, hasPrices, minSize }]) => [
    renderCode(type),
    [...events, ...(hasPrices === true ? ['price_feed'] : [])].map(linkEvent).join(', ') +
      (minSize === undefined ? '' : `, with <code>min_size</code> ${minSize} unless given`),
  ])
  return renderTable(['<code>type</code>', 'Events'], rows)
}

const linkEvent = (type: string): string => `<a href="#${type}">${renderCode(type)}</a>`

const PLAN_LIMITS = {
  eventSocketsMax: 'Event sockets',
  orderbookSocketsMax: 'Orderbook sockets',
  firehosesMax: 'Unfiltered connections',
  replaysMax: 'Replays at the same time',
  replayHoursMax: 'Hours of a replay',
  filterItemsMax: 'Filter items of a subscription',
  socketSecondsPerDay: 'Seconds a day (UTC)',
  snapshotCountMax: '`snapshot_count`',
  sinceLookbackMs: '`since`, milliseconds back',
} as const

function renderPlans(plans: readonly Plan[]): string {
  const rows = Object.entries(PLAN_LIMITS).map(([grant, title]) => [
    renderText(title),
    ...plans.map((plan) => plan[grant as keyof typeof PLAN_LIMITS]?.toLocaleString('en-US') ?? '∞'),
  ])
  return renderTable(['', ...plans.map(({ id }) => id)], rows)
}

function renderErrors(): string {
  const rows = Object.entries({ ...BOOK_ERRORS, ...STREAM_ERRORS })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, why]) => [renderCode(code), renderText(why)])
  return renderTable(['<code>code</code>', 'Why'], rows)
}

function renderMessage(message: DocumentMessage): string {
  const { name, title, summary, payload, examples, 'x-cost': cost } = message
  const rows = listFields(payload).map(({ path, type, description }) => [
    renderCode(path),
    escapeHtml(type),
    renderText(description),
  ])
  const shown = examples.map(({ name, payload }) => `<p>${renderText(name)}</p>${renderJson(payload)}`)
  return `<h3 id="${name}">${renderCode(name)}</h3>
<p>${title === name ? '' : `<strong>${escapeHtml(title)}.</strong> `}${renderText(summary)}</p>${cost === undefined ? '' : `\n<p>${renderText(cost)}.</p>`}
${shown.join('\n')}
<details><summary>Fields</summary>
${renderTable(['Field', 'Type', ''], rows)}
</details>`
}

/** Text of the document, with code in backticks. */
const renderText = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const renderCode = (text: string): string => `<code>${escapeHtml(text)}</code>`

/** Cells are HTML. */
function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  const body = rows.map((cells) => line('td', cells)).join('\n')
  return `<div class="wide"><table>\n${line('th', head)}\n${body}\n</table></div>`
}

const LINE_LENGTH_MAX = 110

/** JSON in one line, or in many where it is long. */
function renderJson(value: unknown): string {
  const line = JSON.stringify(value)
  const text = line.length <= LINE_LENGTH_MAX ? line : JSON.stringify(value, null, 2)
  return `<pre>${renderCode(text)}</pre>`
}

/** The part of a JSON schema that the page shows. */
type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

/** A field of a message. A path that ends with `?` may be missing. */
type SchemaField = { path: string; type: string; description: string }

/** All fields of a schema, those inside of objects and lists by their path: `trades[].price`. */
const listFields = (schema: object): SchemaField[] => listBelow(schema, '')

function listBelow(schema: Schema, above: string): SchemaField[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${above}${name}`
    const shown = required.includes(name) ? path : `${path}?`
    const choices = [field, ...(field.anyOf ?? [])]
    const items = choices.flatMap(({ items }) => [items ?? {}, ...(items?.anyOf ?? [])])
    return [
      { path: shown, type: nameType(field), description: field.description ?? '' },
      ...choices.flatMap((choice) => listBelow(choice, `${path}.`)),
      ...items.flatMap((item) => listBelow(item, `${path}[].`)),
    ]
  })
}

function nameType(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(nameType).join(' | ')
  if (schema.type !== 'array') return schema.type ?? 'any'
  const item = nameType(schema.items ?? {})
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`
}
