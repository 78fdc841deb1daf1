import { withoutPreparedPlan } from '../../store/connection.js'
import { type FactSlice, withPlaces } from './fact-slice.js'

// All in the order of `seq`, by the primary keys, planned for their values as the fills are.

type Placed = { seq: number; timeSec: number; txHash: string; place: number; wallet: string }

/** Full sets that wallets made or undid, without those inside of matches. */
export type SplitRow = Placed & { isMerge: boolean; condition: string; amount: bigint }

export async function selectSplits({ sql, afterSeq, toSeq }: FactSlice): Promise<SplitRow[]> {
  // Bits of flags: 1 merge, 4 user.
  const rows = await withoutPreparedPlan(sql<Omit<SplitRow, 'place'>[]>`
    select s.seq::float8, b.time as time_sec, s.flags & 1 <> 0 as is_merge, s.amount,
           '0x' || encode(s.tx_hash, 'hex') as tx_hash,
           '0x' || encode(w.address, 'hex') as wallet,
           '0x' || encode(c.condition, 'hex') as condition
      from splits s
      join blocks b on b.number = s.seq >> 20
      join wallets w on w.id = s.wallet
      join conditions c on c.id = s.condition
     where s.seq > ${afterSeq} and s.seq <= ${toSeq} and s.flags & 4 <> 0
     order by s.seq`)
  return withPlaces(rows)
}

export type RedemptionRow = Placed & {
  condition: string
  payout: bigint
  /** What was given. */
  tokens: string[]
  /** Payout numerators of the result, by outcome; null: it is not among the facts. */
  payouts: string[] | null
}

export async function selectRedemptions({ sql, afterSeq, toSeq }: FactSlice): Promise<RedemptionRow[]> {
  // Bits of flags: 4 user.
  const rows = await withoutPreparedPlan(sql<Omit<RedemptionRow, 'place'>[]>`
    select r.seq::float8, b.time as time_sec, r.payout,
           '0x' || encode(r.tx_hash, 'hex') as tx_hash,
           '0x' || encode(w.address, 'hex') as wallet,
           '0x' || encode(c.condition, 'hex') as condition,
           array(select '0x' || encode(t.token, 'hex')
                   from unnest(r.tokens) with ordinality as given (id, place)
                   join tokens t on t.id = given.id
                  order by given.place) as tokens,
           result.payouts
      from redemptions r
      join blocks b on b.number = r.seq >> 20
      join wallets w on w.id = r.wallet
      join conditions c on c.id = r.condition
      left join lateral (
        select payouts from resolutions
         where condition = r.condition and seq < r.seq order by seq desc limit 1
      ) result on true
     where r.seq > ${afterSeq} and r.seq <= ${toSeq} and r.flags & 4 <> 0
     order by r.seq`)
  return withPlaces(rows)
}

export type ConversionRow = Placed & {
  market: string
  indexSet: string
  amount: bigint
  /** The NO tokens given. */
  tokens: string[]
}

export async function selectConversions({ sql, afterSeq, toSeq }: FactSlice): Promise<ConversionRow[]> {
  const rows = await withoutPreparedPlan(sql<Omit<ConversionRow, 'place'>[]>`
    select v.seq::float8, b.time as time_sec, v.amount,
           '0x' || encode(v.tx_hash, 'hex') as tx_hash,
           '0x' || encode(w.address, 'hex') as wallet,
           '0x' || encode(v.market, 'hex') as market,
           '0x' || encode(v.index_set, 'hex') as index_set,
           array(select '0x' || encode(t.token, 'hex') from tokens t where t.id = any(v.given)
                  order by t.id) as tokens
      from conversions v
      join blocks b on b.number = v.seq >> 20
      join wallets w on w.id = v.wallet
     where v.seq > ${afterSeq} and v.seq <= ${toSeq}
     order by v.seq`)
  return withPlaces(rows)
}

/** Fees that a receiver was paid. */
export type FeeRow = Placed & { token: string | null; amount: bigint }

export async function selectFees({ sql, afterSeq, toSeq }: FactSlice): Promise<FeeRow[]> {
  // Kind 0: charged.
  const rows = await withoutPreparedPlan(sql<Omit<FeeRow, 'place'>[]>`
    select f.seq::float8, b.time as time_sec, f.amount,
           '0x' || encode(f.tx_hash, 'hex') as tx_hash,
           '0x' || encode(w.address, 'hex') as wallet,
           '0x' || encode(t.token, 'hex') as token
      from fees f
      join blocks b on b.number = f.seq >> 20
      join wallets w on w.id = f.wallet
      left join tokens t on t.id = f.token
     where f.seq > ${afterSeq} and f.seq <= ${toSeq} and f.kind = 0
     order by f.seq`)
  return withPlaces(rows)
}
