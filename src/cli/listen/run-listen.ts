import { findService, type ServiceFlags } from '../../config/service-address.js'
import { messageOf, OperatorError } from '../../core/errors.js'
import { stopSignal } from '../../lib/stop-signal.js'
import type { WebhookFilters } from '../../webhooks/filters.js'
import type { ForwardResult } from '../../webhooks/listen/schemas.js'
import { forwardEvents } from './forward-events.js'
import { type ListenedEvent, Listeners } from './listeners.js'

export type ListenFlags = ServiceFlags & {
  forwardTo: string
  events: string[]
  wallet?: string[]
  token?: string[]
  condition?: string[]
  eventSlug?: string[]
  tag?: string[]
  builder?: string[]
  receiver?: string[]
  minAmountUsd?: number
  minFeeUsd?: number
  minDeltaPct?: number
  minPnlChangeUsd?: number
  minTotalUsd?: number
  side?: 'BUY' | 'SELL'
  statusFrom?: WebhookFilters['status_from']
  statusTo?: WebhookFilters['status_to']
  confirmations?: number
  secret?: string
  count?: number
  json?: boolean
}

/** Forwards events until Ctrl-C, until `count` of them are forwarded, or until stdout is closed. */
export async function runListen(flags: ListenFlags): Promise<void> {
  const { json: isJson = false, secret, count = Number.POSITIVE_INFINITY } = flags
  const receiver = toReceiverUrl(flags.forwardTo)
  const { url, key } = findService(flags)
  const api = new URL(url.href.replace(/^ws/, 'http'))
  const ending = new AbortController()
  const end = () => ending.abort()
  stopSignal().addEventListener('abort', end)
  // What `auspex listen | head` does.
  process.stdout.on('error', end)
  const hasColour = process.stdout.isTTY === true && process.stdout.hasColors()
  await forwardEvents({
    listeners: new Listeners({ url: api, key }),
    wish: {
      eventTypes: flags.events,
      filters: toFilters(flags),
      ...(secret !== undefined && { secret }),
    },
    receiver,
    count,
    onListening: ({ id, secret: made }) => {
      const opening = { webhook_id: id, secret: made, forward_to: receiver.href }
      if (isJson) console.log(JSON.stringify(opening))
      else {
        console.error(`-- ${flags.events.join(', ')} of ${api.origin} to ${receiver.href}`)
        console.error(`-- secret ${made}   (Ctrl-C ends)`)
      }
    },
    onResult: (event, result) => {
      console.log(formatResult(event, result, Date.now(), { isJson, hasColour }))
    },
    notify: (text) => console.error(`-- ${text}`),
    signal: ending.signal,
  }).catch((error) => {
    throw error instanceof OperatorError ? error : new OperatorError(`${api.origin}: ${messageOf(error)}`)
  })
}

/** `localhost:3000/hook` is enough. */
function toReceiverUrl(text: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '') return url
  throw new OperatorError(`--forward-to ${text} is no address such as http://localhost:3000/hook.`, 2)
}

function toFilters(flags: ListenFlags): WebhookFilters {
  const filters = {
    wallet_addresses: flags.wallet,
    token_ids: flags.token,
    condition_ids: flags.condition,
    event_slugs: flags.eventSlug,
    tags: flags.tag,
    builder_codes: flags.builder,
    receiver_addresses: flags.receiver,
    min_amount_usd: flags.minAmountUsd,
    min_fee_usd: flags.minFeeUsd,
    min_delta_pct: flags.minDeltaPct,
    min_pnl_change_usd: flags.minPnlChangeUsd,
    min_total_usd: flags.minTotalUsd,
    side: flags.side,
    status_from: flags.statusFrom,
    status_to: flags.statusTo,
    confirmations: flags.confirmations,
  }
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as WebhookFilters
}

type LineStyle = { isJson: boolean; hasColour: boolean }

const GREEN = '\x1b[32m'
const RED = '\x1b[31m'
const PLAIN = '\x1b[0m'

/** One line: time, event type, id, status code, latency, and what went wrong. */
function formatResult(
  { event_type: eventType }: ListenedEvent,
  result: ForwardResult,
  nowMs: number,
  { isJson, hasColour }: LineStyle,
): string {
  if (isJson) return JSON.stringify({ event_type: eventType, ...result })
  const { event_id: eventId, success, status_code: status, latency_ms: latencyMs, error } = result
  const code = `${status ?? '---'}`
  const colour = success ? GREEN : RED
  const cells = [
    new Date(nowMs).toISOString().slice(11, 23),
    eventType.padEnd(22),
    eventId,
    hasColour ? `${colour}${code}${PLAIN}` : code,
    `${latencyMs} ms`.padStart(8),
    error ?? '',
  ]
  return cells.join('  ').trimEnd()
}
