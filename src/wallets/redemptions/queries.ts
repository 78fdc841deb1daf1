import type { Page } from '../../core/page.js'
import { type SeqRange, withinSeq } from '../../lookups/seq-range.js'
import type { Sql } from '../../store/connection.js'
import { boundedPage, isAfterKey, orderedBy } from '../../store/keyset.js'
import { blockTime, hex, isOfUser } from '../../store/sql-words.js'

export type RedemptionScope = SeqRange & { wallet: number; isAscending: boolean }

/** Bytes are hex text, amounts millionths. Of a market that the catalogue lacks, its fields are null. */
export type RedemptionRow = {
  seq: number
  timeSec: number
  txHash: string
  condition: string
  payout: bigint
  flags: number
  /** The contract that decides the condition; null: its preparation is not stored. */
  oracle: string | null
  /** Of the condition on the chain, by outcome. */
  tokens: string[]
  payouts: string[] | null
  resolvedSec: number | null
  title: string | null
  slug: string | null
  image: string | null
  isNegRisk: boolean | null
  outcomes: string[] | null
  marketTokens: string[] | null
  eventTitle: string | null
  eventSlug: string | null
  isGone: boolean
}

const ORDER = [{ column: 'r.seq', type: 'bigint' }] as const

/**
 * Redemptions that the wallet wanted, or that were made for it, in the order of the chain, combos included.
 * Indexes: wallet of each partition; then lookups by key for each row of the page: markets_condition,
 * tokens_condition, resolutions_condition, preparations_condition.
 */
export function selectRedemptions(sql: Sql, scope: RedemptionScope, page: Page): Promise<RedemptionRow[]> {
  const { wallet, isAscending } = scope
  const order = orderedBy(sql, ORDER, isAscending)
  const selected = sql`
    select r.seq, r.payout, r.condition, r.flags, r.tx_hash
      from redemptions r
     where r.wallet = ${wallet} and ${withinSeq(sql, 'r.seq', scope)} and ${isOfUser(sql, 'r')}
       and ${isAfterKey(sql, ORDER, page.after, isAscending)}
     ${order} offset ${page.offset} limit ${page.limit}`
  return sql<RedemptionRow[]>`
    with page as materialized (${boundedPage(sql, selected)})
    select r.seq::float8, b.time as time_sec, ${hex(sql, 'r.tx_hash')} as tx_hash,
           ${hex(sql, 'c.condition')} as condition, r.payout, r.flags,
           (select ${hex(sql, 'w.address')}
              from preparations p join wallets w on w.id = p.oracle
             where p.condition = r.condition limit 1) as oracle,
           array(select ${hex(sql, 't.token')} from tokens t
                  where t.condition = r.condition and t.outcome is not null
                  order by t.outcome) as tokens,
           result.payouts, ${blockTime(sql, 'result.seq')} as resolved_sec,
           m.question as title, m.slug, m.image, m.neg_risk as is_neg_risk, m.outcomes,
           (select array_agg(${hex(sql, 'token')} order by place)
              from unnest(m.tokens) with ordinality as listed (token, place)) as market_tokens,
           e.title as event_title, e.slug as event_slug,
           b.number is null or c.id is null as is_gone
      from page r
      left join blocks b on b.number = r.seq >> 20
      left join conditions c on c.id = r.condition
      left join lateral (
        select payouts, seq from resolutions
         where condition = r.condition order by seq desc limit 1
      ) result on true
      left join lateral (
        select * from markets where condition = c.condition order by id limit 1
      ) m on true
      left join events e on e.id = m.event
     ${order}`
}
