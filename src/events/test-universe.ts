import { transactionInput } from '../../sim/contracts/calldata.js'
import { EncodedBlocks } from '../../sim/polygon/encoded-blocks.js'
import type { Block } from '../../sim/universe/block.js'
import type { Market } from '../../sim/universe/market.js'
import { Universe, type UniverseOptions } from '../../sim/universe/universe.js'
import { Bus } from '../bus/bus.js'
import type { BusEvent } from '../bus/event.js'
import type { MarketInfo, MarketLookup } from '../catalogue/market-info.js'
import { attributeBatch } from '../chain/attribute/attribute-batch.js'
import type { BatchFacts } from '../chain/facts/registry.js'
import { parseStructuredId } from '../core/structured-id.js'
import { createLog } from '../lib/log.js'
import { WATCHED } from '../upstreams/polygon/filter.js'
import { parseLogs } from '../upstreams/polygon/log.js'
import { EventLog } from './event-log.js'
import { LiveEvents } from './live-events.js'
import { NO_STORE } from './test-facts.js'

const ADDRESSES = new Set(WATCHED.address)

/** A universe whose pending transactions, blocks and reorganisations are published as they happen. */
export function publishUniverse(options: UniverseOptions, fromMs: number) {
  const universe = new Universe(options)
  universe.advance(fromMs)
  const clock = { now: () => universe.nowMs }
  const errors: string[] = []
  const log = createLog('error', { write: (line) => errors.push(line) })
  const bus = new Bus({ clock, log })
  const events: BusEvent[] = []
  bus.subscribe((batch) => void events.push(...batch))
  const eventLog = new EventLog({ store: NO_STORE, bus, clock })
  const live = new LiveEvents({ bus, eventLog, markets: createLookup(universe), clock, log })
  const pending: string[] = []
  const encoded = new EncodedBlocks(universe.chain)

  universe.on('pending', (tx) => {
    if (tx.act.kind === 'match') pending.push(tx.hash)
    live.onPending({ hash: tx.hash, to: tx.to, input: transactionInput(tx.act) })
  })
  universe.on('block', (block) => live.onBooked(batchOf(universe, encoded, block))())
  universe.on('reorg', (removed) => {
    live.onRewinding((removed.at(-1)?.number ?? 0) - 1, removed.length)
    live.onRewound()
  })
  return { universe, bus, live, events, pending, errors }
}

function batchOf({ chain }: Universe, encoded: EncodedBlocks, block: Block): BatchFacts {
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
function createLookup({ catalogue }: Universe): MarketLookup {
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
