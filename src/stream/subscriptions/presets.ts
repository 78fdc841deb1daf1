import type { EventType } from '../../events/registry.js'
import { showValue } from '../../lib/show-value.js'
import { Refusal } from './refusal.js'

/** What a client can name in `event_types`. `reorg` comes in no other way. */
export const SELECTABLE_TYPES = [
  'settlement',
  'trade',
  'status_update',
  'block',
  'position_change',
  'deposit',
  'position_split',
  'position_merge',
  'positions_converted',
  'redemption',
  'oracle',
  'combo_execution',
  'combo_status_update',
  'combo_lifecycle',
  'combo_approval',
  'reorg',
] as const

/** What a `type` of subscription delivers. */
export type Preset = {
  events: readonly EventType[]
  /** In dollars, unless the client gives another one. */
  minSize?: number
  /** Flat fills stay when `event_types` adds others; the replay sends events one by one. */
  isFlat?: boolean
  /** Coin prices are delivered. */
  hasPrices?: boolean
  /** Scores of games are delivered. */
  hasScores?: boolean
}

const MARKET_EVENTS = [
  'settlement',
  'trade',
  'position_change',
  'status_update',
  'position_split',
  'position_merge',
  'positions_converted',
  'redemption',
] as const

const FLAT: Preset = { events: ['fill'], isFlat: true }
const REDEMPTIONS: Preset = { events: ['redemption'] }
const PRICES: Preset = { events: [], hasPrices: true }

/** What the types of subscriptions deliver, by name. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map<string, Preset>([
  ['settlements', { events: ['settlement', 'status_update'] }],
  ['trades', { events: ['settlement', 'trade', 'status_update'] }],
  ['prices', { events: ['settlement', 'trade'] }],
  ['fills', FLAT],
  ['dome', FLAT],
  ['combos', { events: ['combo_execution', 'combo_status_update'] }],
  ['blocks', { events: ['block'] }],
  ['wallets', { events: [...MARKET_EVENTS, 'deposit'] }],
  ['markets', { events: MARKET_EVENTS }],
  ['redemptions', REDEMPTIONS],
  ['redemption', REDEMPTIONS],
  ['deposits', { events: ['deposit'] }],
  ['large_trades', { events: ['settlement', 'trade'], minSize: 1_000 }],
  [
    'global',
    {
      events: [
        'settlement',
        'trade',
        'position_change',
        'deposit',
        'block',
        'status_update',
        'oracle',
        'redemption',
      ],
    },
  ],
  ['resolutions', { events: ['oracle'] }],
  // Resolutions too: clients of the platform know them by this type.
  ['oracle', { events: ['oracle'], hasPrices: true }],
  ['chainlink', PRICES],
  ['price_feed', PRICES],
  ['scores', { events: [], hasScores: true }],
])

const DEFAULT_TYPE = 'settlements'

/** Throws a `Refusal` that lists the types there are. */
export function findPreset(type: unknown): { type: string; preset: Preset } {
  const name = type ?? DEFAULT_TYPE
  const preset = typeof name === 'string' ? PRESETS.get(name) : undefined
  if (typeof name === 'string' && preset !== undefined) return { type: name, preset }
  const valid = [...PRESETS.keys(), 'orderbook'].join(', ')
  throw new Refusal('unknown_type', `unknown type ${showValue(type)}. Valid types: ${valid}`)
}
