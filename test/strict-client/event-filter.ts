import type { StrictEvent } from './event-shapes.js'
import { isJson, type Json } from './shape.js'

/** What a client asks for, as it sends it. */
export type Request = { type: string; filters?: Json }

const MARKET_EVENTS = [
  'settlement',
  'trade',
  'position_change',
  'status_update',
  'position_split',
  'position_merge',
  'positions_converted',
  'redemption',
]

/** The events of each subscription type. A client takes no price feed on `oracle`. */
const PRESETS: Readonly<Record<string, readonly string[]>> = {
  settlements: ['settlement', 'status_update'],
  trades: ['settlement', 'trade', 'status_update'],
  prices: ['settlement', 'trade'],
  fills: ['settlement', 'fill'],
  dome: ['settlement', 'fill'],
  combos: ['combo_execution', 'combo_status_update'],
  blocks: ['block'],
  wallets: [...MARKET_EVENTS, 'deposit'],
  markets: MARKET_EVENTS,
  redemptions: ['redemption'],
  redemption: ['redemption'],
  deposits: ['deposit'],
  large_trades: ['settlement', 'trade'],
  global: [
    'settlement',
    'trade',
    'position_change',
    'deposit',
    'block',
    'status_update',
    'oracle',
    'redemption',
  ],
  oracle: ['oracle'],
  resolutions: ['oracle'],
  chainlink: ['price_feed'],
}

/**
 * Why a client that filters once more does not hand the event to this subscription; `undefined`: it
 * does. An event comes once for all subscriptions of a connection, so each of them looks at it.
 */
export function reasonToDrop(event: StrictEvent, request: Request): string | undefined {
  const { filters = {} } = request
  if (!typesOf(request).includes(event.type)) return 'type'
  if (!passes(filters.wallets, walletsOf(event))) return 'wallets'
  if (!passesTokens(event, request)) return 'tokens'
  const { market_slug: market, event_slug: slug } = event.data
  if (!passes(filters.slugs, texts([market, slug]))) return 'slugs'
  if (!passesSize(event, filters)) return 'size'
  const status = event.data.status ?? 'confirmed'
  const wanted = filters.status ?? 'all'
  return wanted === 'all' || wanted === status ? undefined : 'status'
}

function typesOf({ type, filters }: Request): readonly string[] {
  const { event_types: chosen } = filters ?? {}
  return Array.isArray(chosen) ? chosen : (PRESETS[type] ?? [])
}

/** An empty or absent filter lets everything through. */
function passes(filter: unknown, values: readonly string[]): boolean {
  const wanted = texts(filter)
  return wanted.length === 0 || wanted.some((each) => values.includes(each.toLowerCase()))
}

function passesTokens(event: StrictEvent, { type, filters = {} }: Request): boolean {
  const hasAlias = type === 'markets' || type === 'prices'
  const wanted = filters.tokens ?? (hasAlias ? filters.markets : undefined)
  const tokens = tokensOf(event)
  if (tokens.length === 0) return texts(wanted).length === 0 || filters.event_types !== undefined
  return passes(wanted, tokens)
}

function passesSize({ type, data }: StrictEvent, { min_size: min, max_size: max }: Json): boolean {
  const size = sizeOf(type, data)
  if (typeof size !== 'number') return true
  return !(typeof min === 'number' && size < min) && !(typeof max === 'number' && size > max)
}

function walletsOf({ type, data }: StrictEvent): readonly string[] {
  const rows = (name: string, ...fields: string[]) =>
    texts(list(data[name]).map((row) => fields.map((field) => row[field])))
  switch (type) {
    case 'settlement':
      return [...texts(data.taker_wallet), ...rows('trades', 'maker')]
    case 'trade':
      return texts([data.maker, data.taker])
    case 'status_update':
      return texts([data.taker_wallet, data.maker_wallets])
    case 'fill':
      return texts([data.user, data.taker])
    case 'oracle':
      return texts([data.proposer, data.disputer])
    case 'position_change':
    case 'deposit':
      return texts([data.from, data.to])
    default:
      return [
        ...texts([data.stakeholder, data.redeemer, data.user, data.owner]),
        ...texts([data.maker_address, data.signer_address, data.taker_address]),
        ...rows('trades', 'maker_address', 'signer_address', 'taker_address'),
        ...rows('confirmed_fills', 'maker_address', 'signer_address', 'taker_address'),
        ...rows('fees', 'receiver'),
        ...rows('confirmed_transfers', 'from', 'to'),
      ]
  }
}

function tokensOf({ type, data }: StrictEvent): readonly string[] {
  switch (type) {
    case 'settlement':
      return texts(data.taker_token)
    case 'redemption':
    case 'position_split':
    case 'position_merge':
      return texts(data.token_ids)
    case 'combo_execution':
    case 'combo_status_update':
    case 'combo_lifecycle':
      return texts([data.yes_position_id, data.no_position_id, data.leg_position_ids])
    default:
      return texts(data.token_id)
  }
}

function sizeOf(type: string, data: Json): unknown {
  if (type === 'settlement') return data.taker_size
  if (type === 'trade') return data.size
  if (type === 'redemption') return data.payout
  if (type === 'oracle') return data.bond_amount
  if (type.startsWith('combo_')) return data.notional_usdc ?? data.amount_usdc
  const hasAmount = ['deposit', 'position_split', 'position_merge', 'positions_converted']
  return hasAmount.includes(type) ? data.amount : undefined
}

/** All strings of a value and of the arrays in it, in lower case. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value.toLowerCase()]
  return Array.isArray(value) ? value.flatMap(texts) : []
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : [])
