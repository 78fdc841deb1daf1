import { toTokenId } from '../../core/ids.js'
import { AMOUNT_MAX, pricePerShare, toDecimal } from '../../core/money.js'
import { blockOf } from '../../core/seq.js'
import { groupBy } from '../../lib/group-by.js'
import { type Sql, withoutPreparedPlan } from '../../store/connection.js'
import type { WebhookPayload } from '../event-types.js'
import type { Detector, Occurrence } from './detector.js'
import type { SliceFill } from './fact-slice.js'
import { marketKeys, type SliceMarket, tokenFields, toTimeText } from './slice-markets.js'

/**
 * The price of a token after each fill that changes it, by the rule of the ledger's last prices: a fill
 * of a taking order prices its token, and the other one of the pair with what is left of the dollar. A
 * price that leaves and returns within a block is two occurrences. The first price of a token has itself
 * as the one before: it becomes the base of webhooks and is no event.
 */
export const priceChange: Detector = {
  types: ['price_change'],
  async detect(slice) {
    const fills = (await slice.fills()).filter(({ isTaker, shares }) => isTaker && shares > 0n)
    if (fills.length === 0) return { occurrences: [] }
    const pairs = await selectPairs(slice.sql, [...new Set(fills.map(({ token }) => token))])
    const steps = fills.flatMap((fill) => stepsOf(fill, pairs.get(fill.token)))
    const tokens = [...new Set(steps.map(({ token }) => token))]
    const prices = await selectPricesAt(slice.sql, tokens, slice.afterSeq)
    const marketOf = await slice.markets.ofTokens(tokens)
    const occurrences: Occurrence[] = []
    for (const step of steps) {
      const before = prices.get(step.token)
      if (before === step.price) continue
      prices.set(step.token, step.price)
      occurrences.push(toOccurrence(step, before ?? step.price, marketOf(step.token)))
    }
    return { occurrences }
  },
}

type PriceStep = { fill: SliceFill; token: string; price: bigint }
/** The other token of a condition with two outcomes, and the block since when the chain states both. */
type Pair = { token: string; other: string; statedIn: number }

function stepsOf(fill: SliceFill, pair: Pair | undefined): PriceStep[] {
  const { token, usd, shares } = fill
  const own = { fill, token, price: priceOf(usd, shares) }
  if (pair === undefined || usd > shares || blockOf(fill.seq) < pair.statedIn) return [own]
  return [own, { fill, token: pair.other, price: priceOf(shares - usd, shares) }]
}

/** No more than an amount may be: a fill of few shares may have any price, and a base is an int8. */
function priceOf(usd: bigint, shares: bigint): bigint {
  const price = pricePerShare(usd, shares)
  return price < AMOUNT_MAX ? price : AMOUNT_MAX
}

/** Indexes: tokens_token_key, tokens_condition. */
async function selectPairs(sql: Sql, tokens: readonly string[]): Promise<Map<string, Pair>> {
  const rows = await sql<Pair[]>`
    select '0x' || encode(t.token, 'hex') as token, '0x' || encode(pair.other, 'hex') as other,
           greatest(t.stated_in, pair.stated_in) as stated_in
      from unnest(${[...tokens]}::text[]) as requested (token)
      join tokens t on t.token = decode(substr(requested.token, 3), 'hex')
     cross join lateral (
       select (array_agg(s.token order by s.outcome) filter (where s.id <> t.id))[1] as other,
              max(s.stated_in) as stated_in
         from tokens s
        where s.condition = t.condition and s.outcome is not null
       having count(*) = 2
     ) pair`
  return new Map(rows.map((row) => [row.token, row]))
}

/**
 * The prices of tokens at a seq; tokens without one are absent. The last minute in which a
 * token or its pair was traded tells which fills to read: of few partitions, and few even where a
 * partition has no index yet.
 */
async function selectPricesAt(
  sql: Sql,
  tokens: readonly string[],
  seq: number,
): Promise<Map<string, bigint>> {
  const pairs = await selectPairs(sql, tokens)
  const others = [...pairs.values()].map(({ other }) => other)
  const minutes = await selectLastMinutes(sql, [...new Set([...tokens, ...others])], seq)
  const fills = groupBy(await selectPricingFills(sql, minutes, seq), ({ token }) => token)
  const lastOf = (token: string) => fills.get(token)?.at(-1)
  const prices = new Map<string, bigint>()
  for (const token of tokens) {
    const own = lastOf(token)
    const pair = pairs.get(token)
    const other = pair === undefined ? undefined : lastOf(pair.other)
    const isPriced =
      pair !== undefined &&
      other !== undefined &&
      other.usd <= other.shares &&
      blockOf(other.seq) >= pair.statedIn
    if (isPriced && other.seq > (own?.seq ?? -1))
      prices.set(token, priceOf(other.shares - other.usd, other.shares))
    else if (own !== undefined) prices.set(token, priceOf(own.usd, own.shares))
  }
  return prices
}

type TradedMinute = { id: number; token: string; firstSeq: number; lastSeq: number }

/** The last minute of each token that began at or before a `seq`. Index: minute_candles_pkey. */
const selectLastMinutes = (sql: Sql, tokens: readonly string[], seq: number) => sql<TradedMinute[]>`
  select t.id, requested.token, traded.first_seq::float8, traded.last_seq::float8
    from unnest(${[...tokens]}::text[]) as requested (token)
    join tokens t on t.token = decode(substr(requested.token, 3), 'hex')
   cross join lateral (
     select first_seq, last_seq from minute_candles
      where token = t.id and first_seq <= ${seq} and shares > 0
      order by minute desc
      limit 1
   ) traded`

type PricingFill = { seq: number; token: string; usd: bigint; shares: bigint }

/**
 * The last fills of these minutes that set a price, in the order of `seq`. A minute that goes on after
 * the `seq` is read from its start. Planned for its values, so that few partitions are read.
 */
async function selectPricingFills(
  sql: Sql,
  minutes: readonly TradedMinute[],
  seq: number,
): Promise<PricingFill[]> {
  const whole = minutes.filter(({ lastSeq }) => lastSeq <= seq)
  const open = minutes.filter(({ lastSeq }) => lastSeq > seq)
  const names = new Map(minutes.map(({ id, token }) => [id, token]))
  const since = Math.min(seq, ...open.map(({ firstSeq }) => firstSeq))
  const isPricing = sql`flags & 2 <> 0 and shares > 0`
  const rows = await withoutPreparedPlan(sql<(Omit<PricingFill, 'token'> & { token: number })[]>`
    select seq::float8, token, usd, shares
      from (select seq, token, usd, shares from fills
             where seq = any(${whole.map(({ lastSeq }) => lastSeq)}::bigint[]) and ${isPricing}
            union all
            select seq, token, usd, shares from fills
             where seq >= ${since} and seq <= ${seq}
               and token = any(${open.map(({ id }) => id)}::integer[]) and ${isPricing}) priced
     order by priced.seq`)
  return rows.map((row) => ({ ...row, token: names.get(row.token) ?? '' }))
}

function toOccurrence({ fill, token, price }: PriceStep, before: bigint, market: SliceMarket): Occurrence {
  const { seq, timeSec, txHash, ordinal } = fill
  const tokenId = toTokenId(token)
  const present = (base = before): WebhookPayload<'price_change'> => ({
    token_id: tokenId,
    price: toDecimal(price),
    updated_at: toTimeText(timeSec * 1000),
    ...tokenFields(market, token),
    previous_price: toDecimal(base),
    delta_pct: base === 0n ? null : toDecimal(((price - base) * 100_000_000n) / base),
  })
  return {
    type: 'price_change',
    seq,
    timeSec,
    identity: `${txHash} ${ordinal} ${token}`,
    keys: { tokenId, ...marketKeys(market) },
    present,
    change: { wallet: '', token, value: price, before },
  }
}
