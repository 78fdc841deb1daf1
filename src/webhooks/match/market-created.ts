import type { Sql } from '../../store/connection.js'
import type { WebhookPayload } from '../event-types.js'
import type { Detector, Occurrence } from './detector.js'
import { marketKeys, type SliceMarket, toBraces, toTimeText } from './slice-markets.js'

/** Markets of one pass; the others wait for the next one. */
const MARKETS_MAX = 1_000

/**
 * Markets that the catalogue has met. It queues them in the transaction that adds them, and the matcher
 * takes them from the queue in the one that announces them: the order of commits does not matter.
 */
export const marketCreated: Detector = {
  types: ['market_created'],
  runsWithoutBlocks: true,
  async detect(slice) {
    const rows = await selectNewMarkets(slice.sql)
    if (rows.length === 0) return { occurrences: [] }
    const conditions = rows.flatMap(({ condition }) => condition ?? [])
    const marketOf = await slice.markets.ofConditions(conditions)
    const occurrences = rows.flatMap((row) => {
      const { condition } = row
      return condition === null ? [] : toOccurrence({ ...row, condition }, marketOf(condition), slice.headSeq)
    })
    const ids = rows.map(({ market }) => market)
    return { occurrences, store: (tx) => deleteNewMarkets(tx, ids) }
  },
  async skip(tx) {
    await tx`delete from new_markets`
  },
}

/** Null where the market is no longer stored. */
type NewMarketRow = {
  market: number
  condition: string | null
  firstSeen: Date | null
  createdAt: Date | null
}

const selectNewMarkets = (sql: Sql) => sql<NewMarketRow[]>`
  select n.market, '0x' || encode(m.condition, 'hex') as condition, m.first_seen, m.created_at
    from new_markets n
    left join markets m on m.id = n.market
   order by n.market
   limit ${MARKETS_MAX}`

async function deleteNewMarkets(tx: Sql, ids: readonly number[]): Promise<void> {
  await tx`delete from new_markets where market = any(${[...ids]}::integer[])`
}

function toOccurrence(
  { condition, firstSeen, createdAt }: NewMarketRow & { condition: string },
  market: SliceMarket,
  headSeq: number,
): Occurrence {
  const seenMs = firstSeen?.getTime() ?? 0
  const present = (): WebhookPayload<'market_created'> => ({
    condition_id: condition,
    question: market.question,
    slug: market.slug,
    event_slug: market.eventSlug,
    tags: toBraces(market.tags),
    image_url: market.image,
    created_at: toTimeText(createdAt?.getTime() ?? seenMs),
  })
  return {
    type: 'market_created',
    seq: headSeq,
    isOffChain: true,
    identity: condition,
    // A webhook sees the markets that the catalogue meets after the webhook began, whenever Gamma made them.
    timeSec: Math.floor(seenMs / 1000),
    keys: marketKeys(market),
    present,
  }
}
