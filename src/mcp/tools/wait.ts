import type { Fields } from '../../core/errors.js'
import { SUBSCRIBE_FIELDS } from '../../stream/subscriptions/filter-rules.js'
import type { ArgumentSchema } from '../operations.js'
import { type Arguments, CURSOR, cutText, type Tool, ToolError, textOf } from '../tool.js'

/** Of the filters of the stream, those that an agent has a use for. */
const FILTER_NAMES = [
  'wallets',
  'slugs',
  'condition_ids',
  'tokens',
  'event_types',
  'side',
  'status',
  'min_size',
  'max_size',
  'feeds',
  'leagues',
  'game_slugs',
]
const FILTERS = (SUBSCRIBE_FIELDS.filters as { properties: Record<string, ArgumentSchema> }).properties

const WAIT_SECONDS_MAX = 45
const EVENTS_MAX = 20

export const waitTool: Tool = {
  name: 'wait_for_event',
  title: 'Wait for something to happen',
  description:
    'Waits for live events of a type that pass the filters, and answers with the first `count` of them, or when the time is over. To miss nothing, send `next_cursor` of the answer with the next call. Opens a WebSocket of the account meanwhile.',
  operations: [],
  arguments: {
    type: { ...(SUBSCRIBE_FIELDS.type as ArgumentSchema), default: 'trades' },
    ...Object.fromEntries(FILTER_NAMES.map((name) => [name, FILTERS[name] ?? {}])),
    count: {
      type: 'integer',
      minimum: 1,
      maximum: EVENTS_MAX,
      default: 1,
      description: 'ends the wait with so many events',
    },
    timeout_seconds: {
      type: 'integer',
      minimum: 1,
      maximum: WAIT_SECONDS_MAX,
      default: 20,
      description: 'how long to wait at most',
    },
    cursor: CURSOR,
  },
  units:
    'price: dollars per share, 0 to 1, of price_feed US dollars; size: shares; timestamp: Unix milliseconds, of price_feed and fill seconds; fields in _amount or _e6: millionths',
  run: async ({ args, watch }) => {
    const { type = 'trades', count = 1, timeout_seconds = 20 } = args
    const present = FILTER_NAMES.filter((name) => args[name] !== undefined)
    const { events, seq, warnings } = await watch({
      type: textOf(type),
      filters: Object.fromEntries(present.map((name) => [name, args[name]])),
      sinceSeq: readSeq(args),
      countMax: Number(count),
      timeoutMs: Number(timeout_seconds) * 1_000,
    })
    const after = (shown: number) => (shown === 0 ? seq : events[shown - 1]?.seq)
    return {
      head: { timed_out: events.length < Number(count), ...(warnings.length > 0 && { warnings }) },
      name: 'events',
      rows: events.map(presentEvent),
      next: (shown) => (after(shown) === undefined ? null : `seq_${after(shown)}`),
      narrowBy: ['wallets', 'slugs', 'min_size', 'count'],
    }
  },
}

function readSeq({ cursor }: Arguments): number | undefined {
  if (cursor === undefined) return undefined
  const [, digits] = /^seq_(\d{1,16})$/.exec(String(cursor)) ?? []
  if (digits !== undefined && Number.isSafeInteger(Number(digits))) return Number(digits)
  throw new ToolError('Invalid cursor: send `next_cursor` of the answer before, or leave it out.')
}

/** What says again what the type or another field says, or is for pages and programs alone. */
const DROPPED = new Set([
  ...['event_type', 'timestamp', 'market_image', 'tokens', 'token_ids', 'outcomes', 'event_title'],
  ...[
    'tick_size',
    'taker_base_fee',
    'exchange',
    'exchange_version',
    'protocol_version',
    'module',
    'neg_risk',
  ],
  ...['order_hash', 'log_index', 'signer', 'maker_amount', 'taker_amount', 'question_id', 'adapter_address'],
])
const TRADES_MAX = 5

/** So that one event fits into the smallest answer. Those of combos have all their legs. */
const EVENT_BYTES_MAX = 1_200

function presentEvent({ type, timestamp, seq, data }: Fields): Fields {
  const fields = Object.entries(shortenData(Object(data)))
  const sizeOf = ([name, value]: [string, unknown]) => Buffer.byteLength(JSON.stringify([name, value]))
  const longest = [...fields].sort((a, b) => sizeOf(b) - sizeOf(a))
  const leftOut: string[] = []
  let bytes = fields.reduce((sum, field) => sum + sizeOf(field), 0)
  for (const field of longest) {
    if (bytes <= EVENT_BYTES_MAX) break
    bytes -= sizeOf(field)
    leftOut.push(field[0])
  }
  const kept = fields.filter(([name]) => !leftOut.includes(name))
  const note = leftOut.length > 0 && { left_out: leftOut }
  return { type, timestamp, seq, ...Object.fromEntries(kept), ...note }
}

function shortenData(data: Fields): Fields {
  const kept = Object.entries(data).filter(
    ([name, value]) => !DROPPED.has(name) && value !== null && value !== undefined,
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, shortenValue(value)]))
}

function shortenValue(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value)
  if (Array.isArray(value)) return value.slice(0, TRADES_MAX).map(shortenValue)
  return typeof value === 'object' && value !== null ? shortenData(value as Fields) : value
}
