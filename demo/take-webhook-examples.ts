import { Listeners } from '../src/cli/listen/listeners.js'
import { WEBHOOK_EVENT_TYPE_NAMES, type WebhookEventType } from '../src/webhooks/event-types.js'
import type { WebhookFilters } from '../src/webhooks/filters.js'
import type { DemoFile } from './demo-file.js'

/** Markets of the demo are resolved every five minutes. */
const TAKING_MS_MAX = 12 * 60_000
const WALLETS_MAX = 500
const LARGE_USD = 200

type Envelope = { id: string; type: WebhookEventType; created_at: string; data: object }
type Examples = Map<string, Envelope>

/** Waits at a running demo until an event of every type has come; returns one of each, in the order of the types. */
export async function takeWebhookExamples(demo: DemoFile): Promise<Record<string, Envelope>> {
  const listeners = new Listeners({ url: new URL(demo.url), key: demo.keys.enterprise })
  const wallets = await findValues(demo, '/v3/trades', { limit: '300' }, 'trades', 'maker')
  const builders = await findValues(demo, '/v3/builders', { limit: '100' }, 'builders', 'builder')
  const filters = {
    wallet_addresses: wallets.slice(0, WALLETS_MAX),
    builder_codes: builders,
    min_amount_usd: LARGE_USD,
  }
  const narrow: WebhookEventType[] = [
    ...(['large_trade', 'builder_trade', 'pnl_change'] as const),
    ...(['position_status_change', 'wallet_activity'] as const),
  ]
  const wide = WEBHOOK_EVENT_TYPE_NAMES.filter((type) => !narrow.includes(type))
  const found: Examples = new Map()
  const signal = AbortSignal.timeout(TAKING_MS_MAX)
  await Promise.all([
    takeTypes(listeners, { types: wide, filters: { min_delta_pct: 1 }, found, signal }),
    takeTypes(listeners, { types: narrow, filters, found, signal }),
  ])
  return Object.fromEntries(
    WEBHOOK_EVENT_TYPE_NAMES.flatMap((type) => {
      const example = found.get(type)
      return example === undefined ? [] : [[type, example]]
    }),
  )
}

type Taking = {
  types: readonly WebhookEventType[]
  filters: WebhookFilters
  found: Examples
  signal: AbortSignal
}

async function takeTypes(listeners: Listeners, taking: Taking): Promise<void> {
  const { types, filters, found, signal } = taking
  const { id } = await listeners.create({ eventTypes: types, filters }, signal)
  try {
    while (types.some((type) => !found.has(type)) && !signal.aborted) {
      const events = await listeners.poll(id, signal)
      for (const { event_type: type, body } of events) {
        // Events of markets that the catalogue knows show more.
        if (!found.has(type) && !/"market":null|"question":null/.test(body)) {
          found.set(type, JSON.parse(body))
        }
      }
      const results = events.map(({ event_id: eventId }) => ({
        event_id: eventId,
        success: true,
        status_code: 200,
        latency_ms: 0,
        error: null,
      }))
      if (results.length > 0) await listeners.confirm(id, results, signal)
    }
  } finally {
    await listeners.remove(id)
  }
}

/** Different values of a field of a list. */
async function findValues(
  { url, keys }: DemoFile,
  path: string,
  query: Record<string, string>,
  list: string,
  field: string,
): Promise<string[]> {
  const reply = await fetch(`${url}${path}?${new URLSearchParams(query)}`, {
    headers: { 'x-api-key': keys.enterprise },
  })
  const answer = (await reply.json()) as Record<string, Record<string, string>[]>
  return [...new Set((answer[list] ?? []).flatMap((row) => row[field] ?? []))]
}
