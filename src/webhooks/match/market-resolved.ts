import { toTokenId } from '../../core/ids.js'
import { type Sql, withoutPreparedPlan } from '../../store/connection.js'
import type { WebhookPayload } from '../event-types.js'
import type { Detector, Occurrence } from './detector.js'
import type { FactSlice } from './fact-slice.js'
import { marketKeys, type SliceMarket, toBraces } from './slice-markets.js'

/** A condition got its result. One that another transaction brings after a reorganisation is news only if it differs. */
export const marketResolved: Detector = {
  types: ['market_resolved'],
  async detect(slice) {
    const rows = await selectResolutions(slice.sql, slice)
    const marketOf = await slice.markets.ofConditions(rows.map(({ condition }) => condition))
    return { occurrences: rows.map((row) => toOccurrence(row, marketOf(row.condition))) }
  },
}

type ResolutionRow = {
  seq: number
  timeSec: number
  condition: string
  payouts: string[]
}

/** In the order of `seq`. Without a prepared plan, because a plan for any range reads the table. Index: the primary key. */
const selectResolutions = (sql: Sql, { afterSeq, toSeq }: Pick<FactSlice, 'afterSeq' | 'toSeq'>) =>
  withoutPreparedPlan(sql<ResolutionRow[]>`
    select r.seq::float8, b.time as time_sec, '0x' || encode(c.condition, 'hex') as condition,
           r.payouts
      from resolutions r
      join blocks b on b.number = r.seq >> 20
      join conditions c on c.id = r.condition
     where r.seq > ${afterSeq} and r.seq <= ${toSeq}
     order by r.seq`)

function toOccurrence(row: ResolutionRow, market: SliceMarket): Occurrence {
  const { seq, timeSec, condition } = row
  const payouts = row.payouts.map(BigInt)
  const winner = winnerOf(payouts)
  const token = winner === undefined ? undefined : market.tokens[winner]
  const present = (): WebhookPayload<'market_resolved'> => ({
    condition_id: condition,
    question: market.question,
    slug: market.slug,
    payout_numerators: toBraces(payouts),
    payout_denominator: payouts.reduce((sum, payout) => sum + payout, 0n).toString(),
    resolved_at: String(timeSec * 1000),
    event_slug: market.eventSlug,
    tags: toBraces(market.tags),
    winning_outcome: winner === undefined ? null : (market.outcomes[winner] ?? null),
    winning_token_id: token === undefined ? null : toTokenId(token),
  })
  return {
    type: 'market_resolved',
    seq,
    timeSec,
    identity: `${condition} ${payouts.join()}`,
    keys: marketKeys(market),
    present,
  }
}

/** The index of the outcome that is paid alone. `undefined`: several share the payout. */
function winnerOf(payouts: readonly bigint[]): number | undefined {
  const paid = payouts.flatMap((payout, index) => (payout > 0n ? [index] : []))
  return paid.length === 1 ? paid[0] : undefined
}
