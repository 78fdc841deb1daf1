import { readFileSync } from 'node:fs'
import type { EventDraft } from '../bus/event.js'
import type { BatchBlock } from '../chain/facts/block.js'
import type { BatchFacts } from '../chain/facts/registry.js'
import { blockFamily } from './block.js'
import { type Confirm, factsOfBlock, type MessageFamily } from './block-facts.js'
import { comboApprovalFamily } from './combo-approval.js'
import { comboLifecycleFamily } from './combo-lifecycle.js'
import { comboMatchFamily } from './combo-match.js'
import type { Enricher } from './enrichment.js'
import { matchFamily } from './match-events.js'
import type { Message } from './message.js'
import { oracleFamily } from './oracle.js'
import { positionFamily } from './position-events.js'
import { priceFeedFamily } from './price-feed.js'
import { redemptionFamily } from './redemption.js'
import { scoreUpdateFamily } from './score-update.js'

/** All messages of the live stream. Events of the same log are published in this order. */
export const MESSAGE_FAMILIES = [
  matchFamily,
  comboMatchFamily,
  positionFamily,
  redemptionFamily,
  oracleFamily,
  comboLifecycleFamily,
  comboApprovalFamily,
  blockFamily,
  priceFeedFamily,
  scoreUpdateFamily,
] as const satisfies readonly MessageFamily[]

export type EventType = (typeof MESSAGE_FAMILIES)[number]['messages'][number]['type']

/** The schema of each message, by event type. */
export const MESSAGES: ReadonlyMap<string, Message<EventType>> = new Map(
  MESSAGE_FAMILIES.flatMap(({ messages }): readonly Message<EventType>[] => messages).map((message) => [
    message.type,
    message,
  ]),
)

/** The event types with this trait. */
export const typesThat = (trait: 'canBePending' | 'isRare' | 'ignoresFilters'): ReadonlySet<string> =>
  new Set([...MESSAGES.values()].filter((message) => message[trait]).map(({ type }) => type))

/** Which meter counts the transfer of an event. */
export const meterOf = (type: string): 'ws_market' | 'ws_onchain' => MESSAGES.get(type)?.meter ?? 'ws_onchain'

/** What a client can name in `event_types`, in the order in which documents and errors list it. */
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
] as const satisfies readonly EventType[]

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

/** A message as clients receive it, and what it is an example of. */
export type EventExample = { name: string; payload: unknown }

/** Messages of every event type, taken from the simulated chain by `simulated-events.test.ts`. */
export const readEventExamples = (): Readonly<Record<EventType, readonly EventExample[]>> =>
  JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8'))

/**
 * All events of one block of a batch, in the order of their logs. A match comes after its last fill,
 * the summary of the block at the end.
 */
export function blockEvents(
  batch: BatchFacts,
  block: BatchBlock,
  enricher: Enricher,
  confirm: Confirm,
): EventDraft[] {
  const facts = factsOfBlock(batch, block, confirm)
  const families: readonly MessageFamily[] = MESSAGE_FAMILIES
  return families
    .flatMap(({ fromBlock }) => [...(fromBlock?.(facts, enricher) ?? [])])
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ event }) => event ?? [])
}
