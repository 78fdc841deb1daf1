import { transactionInput } from '../../sim/contracts/calldata.js'
import { encodeAct } from '../../sim/contracts/encode.js'
import { transactionTarget } from '../../sim/contracts/targets.js'
import { EncodedBlocks } from '../../sim/polygon/encoded-blocks.js'
import type { Act } from '../../sim/universe/acts.js'
import type { Block } from '../../sim/universe/block.js'
import type { Market } from '../../sim/universe/market.js'
import { Universe, type UniverseOptions } from '../../sim/universe/universe.js'
import { Bus } from '../bus/bus.js'
import type { BusEvent } from '../bus/event.js'
import type { MarketInfo, MarketLookup } from '../catalogue/market-info.js'
import { attributeBatch } from '../chain/attribute/attribute-batch.js'
import type { BatchBlock } from '../chain/facts/block.js'
import type { BatchFacts } from '../chain/facts/registry.js'
import type { Clock } from '../core/clock.js'
import { parseStructuredId } from '../core/structured-id.js'
import { createLog } from '../lib/log.js'
import { WATCHED } from '../upstreams/polygon/filter.js'
import { type ChainLog, parseLogs } from '../upstreams/polygon/log.js'
import { EventLog } from './event-log.js'
import { LiveEvents } from './live-events.js'
import { MESSAGE_FAMILIES } from './registry.js'
import { NO_STORE } from './test-facts.js'

/** The event types that do not come from blocks. */
export const OTHER_TYPES = MESSAGE_FAMILIES.filter((family) => !('fromBlock' in family))
  .flatMap(({ messages }) => messages.map(({ type }) => type))
  .sort()

const ADDRESSES = new Set(WATCHED.address)

/** A universe whose pending transactions, blocks and reorganisations are published as they happen. */
export function publishUniverse(options: UniverseOptions, fromMs: number) {
  const universe = new Universe(options)
  universe.advance(fromMs)
  const { live, ...heard } = listen(createLookup(universe), { now: () => universe.nowMs })
  const pending: string[] = []
  const encoded = new EncodedBlocks(universe.chain)

  universe.on('pending', (tx) => {
    if (tx.act.kind === 'match') pending.push(tx.hash)
    live.onPending({ hash: tx.hash, to: tx.to, input: transactionInput(tx.act) })
  })
  universe.on('block', (block) => live.onBooked(batchOf(universe, encoded, block))())
  universe.on('reorg', (removed) => {
    live.onReverting((removed.at(-1)?.number ?? 0) - 1, removed.length)
    live.onReverted()
  })
  return { universe, live, pending, ...heard }
}

/** What is published about these markets, and the lines of the log about errors. */
function listen(markets: MarketLookup, clock: Clock) {
  const errors: string[] = []
  const log = createLog('error', { write: (line) => errors.push(line) })
  const bus = new Bus({ clock, log })
  const events: BusEvent[] = []
  bus.subscribe((batch) => void events.push(...batch))
  const eventLog = new EventLog({ store: NO_STORE, bus, clock })
  const live = new LiveEvents({ bus, eventLog, markets, clock, log })
  return { bus, live, events, errors }
}

/**
 * Publishes each of these acts as a block of its own, matches of the present exchanges as pending
 * before. The catalogue has all their markets.
 */
export function publishActs(acts: readonly Act[], startMs: number) {
  let nowMs = startMs
  const markets = lookupOf(acts.flatMap(marketsOf))
  const { live, events, errors } = listen(markets, { now: () => nowMs })
  for (const [index, act] of acts.entries()) {
    const block = {
      number: FIRST_BLOCK + index,
      hash: hashOf('b', index),
      parentHash: hashOf('b', index - 1),
      timeSec: Math.floor(nowMs / 1000),
      txCount: 1,
    }
    const hash = hashOf('f', index)
    live.onPending({ hash, to: transactionTarget(act), input: transactionInput(act) })
    nowMs += BLOCK_MS
    live.onBooked(attributeBatch({ logs: logsOf(act, block, hash), blocks: [block] }))()
  }
  return { events, errors }
}

const FIRST_BLOCK = 90_000_000
const BLOCK_MS = 2_000
const hex = (value: number) => `0x${value.toString(16)}`
const hashOf = (digit: string, index: number) =>
  `0x${digit.repeat(32)}${(index + 1).toString(16).padStart(32, '0')}`

function logsOf(act: Act, block: BatchBlock, txHash: string): ChainLog[] {
  const logs = encodeAct(act).map((body, index) => ({
    ...body,
    blockNumber: hex(block.number),
    blockHash: block.hash,
    blockTimestamp: hex(block.timeSec),
    transactionHash: txHash,
    transactionIndex: '0x0',
    logIndex: hex(index),
    removed: false,
  }))
  return parseLogs(
    logs.filter(({ address }) => ADDRESSES.has(address)),
    'logs',
  )
}

function marketsOf(act: Act): readonly Market[] {
  if ('market' in act) return [act.market]
  if ('event' in act) return act.event.markets
  if (act.kind !== 'match') return []
  return act.of.kind === 'market' ? [act.of] : act.of.legs.map(({ market }) => market)
}

function lookupOf(markets: readonly Market[]): MarketLookup {
  const byCondition = new Map(markets.map((market) => [market.conditionId, toInfo(market)]))
  const byToken = new Map(
    markets.flatMap(({ tokens, conditionId }) =>
      tokens.map(({ decimal }) => [decimal, byCondition.get(conditionId)]),
    ),
  )
  return {
    byToken: (token) => byToken.get(BigInt(token).toString()),
    byCondition: (condition) => byCondition.get(condition),
  }
}

export function batchOf({ chain }: Universe, encoded: EncodedBlocks, block: Block): BatchFacts {
  const texts = encoded
    .get(block)
    .transactions.flatMap(({ logs }) => logs)
    .filter(({ body }) => ADDRESSES.has(body.address))
    .map((log) => log.show())
  return attributeBatch({
    logs: parseLogs(JSON.parse(`[${texts.join(',')}]`), 'logs'),
    blocks: [
      {
        number: block.number,
        hash: chain.hashOf(block),
        parentHash: chain.parentHashOf(block),
        timeSec: block.timestampSec,
        txCount: block.transactions.length,
      },
    ],
  })
}

/** Finds every market of the universe. */
export function createLookup({ catalogue }: Universe): MarketLookup {
  const infos = new Map<Market, MarketInfo>()
  const infoOf = (market: Market | undefined) => {
    if (market === undefined) return undefined
    const info = infos.get(market) ?? toInfo(market)
    infos.set(market, info)
    return info
  }
  return {
    byToken: (token) => {
      if (parseStructuredId(token) !== undefined) return undefined
      const of = catalogue.token(BigInt(token).toString())?.of
      return of?.kind === 'market' ? infoOf(of) : undefined
    },
    byCondition: (condition) => infoOf(catalogue.marketByCondition(condition)),
  }
}

const toInfo = (market: Market): MarketInfo => ({
  conditionId: market.conditionId,
  title: market.question,
  slug: market.slug,
  image: market.event.image,
  eventTitle: market.event.title,
  eventSlug: market.event.slug,
  negRisk: market.event.negRisk !== undefined,
  tickSize: 0.01,
  takerBaseFee: undefined,
  outcomes: market.outcomes,
  tokenIds: market.tokens.map(({ decimal }) => decimal),
})
