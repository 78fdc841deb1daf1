import { toDecimal, toPrice } from '../../core/money.js'
import { blockOf, seqOf } from '../../core/seq.js'
import { groupBy } from '../../lib/group-by.js'
import { type Fragment, type Sql, withoutPreparedPlan } from '../../store/connection.js'
import { fromHex, isOfOrder } from '../../store/sql-words.js'
import type { WebhookPayload } from '../event-types.js'
import type { Detector, Occurrence } from './detector.js'
import type { FactSlice, SliceFill } from './fact-slice.js'
import { outcomeOfToken, type SliceMarket } from './slice-markets.js'

/** An order is complete when no fill of it has come for this long. */
const QUIET_MS = 30_000
/** What is due later than this after now was noted by a clock that was ahead, and is due. */
const AHEAD_MS_MAX = QUIET_MS + 60_000
/** Fewer fills make no event. */
const FILLS_MIN = 2
/** How many fills an event lists. */
const FILLS_MAX = 1_000
/** Orders of one pass; the others wait for the next one. */
const ORDERS_MAX = 500

/**
 * Orders of which no more fills come. An order waits in `webhook_orders` from the first fill that a
 * webhook may want; when it is due, its fills are read again from the facts. Not while the matcher lags:
 * what it has not read yet may have more fills. A fill that comes later begins a new wait.
 */
export const orderComplete: Detector = {
  types: ['order_complete'],
  runsWithoutBlocks: true,
  async detect(slice) {
    const isWanted = (wallet: string) => slice.isWatched('order_complete', wallet)
    const fills = (await slice.fills()).filter(({ maker, taker }) => isWanted(maker) || isWanted(taker))
    const filled = groupBy(fills, ({ orderHash }) => orderHash)
    const isBehind = slice.toSeq < slice.headSeq
    const due = isBehind ? [] : await selectDueOrders(slice, [...filled.keys()])
    if (filled.size === 0 && due.length === 0) return { occurrences: [] }
    const occurrences = await readOrders(slice, due)
    const store = async (tx: Sql) => {
      await deleteOrders(tx, due)
      await insertOrders(tx, [...filled.values()], slice.nowMs + QUIET_MS)
    }
    return { occurrences, store }
  },
  async skip(tx) {
    await tx`delete from webhook_orders`
  },
}

/** Forgets orders whose first fill a reorganisation has reverted: they wait again when it returns. */
export async function forgetOrdersAbove(tx: Sql, seq: number): Promise<void> {
  await tx`delete from webhook_orders where first_seq > ${seq}`
}

type DueOrder = { orderHash: string; firstSeq: number }

/** Those whose time has come, without those that this slice fills. Index: webhook_orders_due_at. */
const selectDueOrders = ({ sql, nowMs }: FactSlice, filled: readonly string[]) => sql<DueOrder[]>`
  select '0x' || encode(order_hash, 'hex') as order_hash, first_seq::float8
    from webhook_orders
   where (due_at <= ${new Date(nowMs)} or due_at > ${new Date(nowMs + AHEAD_MS_MAX)})
     and order_hash <> all(${hashes(sql, filled)})
   order by due_at
   limit ${ORDERS_MAX}`

const hashes = (sql: Sql, orders: readonly string[]) => sql`
  array(select decode(substr(hash, 3), 'hex') from unnest(${[...orders]}::text[]) as hash)`

async function deleteOrders(tx: Sql, orders: readonly DueOrder[]): Promise<void> {
  if (orders.length === 0) return
  const names = orders.map(({ orderHash }) => orderHash)
  await tx`delete from webhook_orders where order_hash = any(${hashes(tx, names)})`
}

/** In the order of their hashes, in which every writer locks them. */
async function insertOrders(
  tx: Sql,
  orders: readonly (readonly [SliceFill, ...SliceFill[]])[],
  dueMs: number,
): Promise<void> {
  if (orders.length === 0) return
  const rows = orders
    .map(([{ orderHash, seq }]) => ({ orderHash, seq }))
    .sort((a, b) => (a.orderHash < b.orderHash ? -1 : 1))
  await tx`
    insert into webhook_orders (order_hash, first_seq, due_at)
    select decode(substr(order_hash, 3), 'hex'), first_seq, ${new Date(dueMs)}::timestamptz
      from unnest(${rows.map(({ orderHash }) => orderHash)}::text[],
                  ${rows.map(({ seq }) => seq)}::bigint[]) as filled (order_hash, first_seq)
    on conflict (order_hash) do update set due_at = excluded.due_at`
}

/** The fills of an order since it waits. */
type OrderRow = {
  orderHash: string
  firstSeq: number
  firstSec: number
  lastSeq: number
  lastTxHash: string
  /** Number of the last fill among those of its transaction, from 0. */
  lastOrdinal: number
  fills: number
  usd: bigint
  shares: bigint
  token: string
  maker: string
  takers: string[]
}

async function readOrders(slice: FactSlice, due: readonly DueOrder[]): Promise<Occurrence[]> {
  if (due.length === 0) return []
  const orders = (await selectOrders(slice, due)).filter(({ fills }) => fills >= FILLS_MIN)
  const marketOf = await slice.markets.ofTokens(orders.map(({ token }) => token))
  const occurrences: Occurrence[] = []
  for (const order of orders) {
    const fills = await selectListedFills(slice, order)
    occurrences.push(toOccurrence(order, fills, marketOf(order.token)))
  }
  return occurrences.sort((a, b) => a.seq - b.seq)
}

/** Planned for its values, so that few partitions are read. Index: that of each partition on the order. */
function selectOrders({ sql, toSeq }: FactSlice, due: readonly DueOrder[]): Promise<OrderRow[]> {
  const since = seqOf(blockOf(Math.min(...due.map(({ firstSeq }) => firstSeq))), 0)
  const isNear = (seq: Fragment) => sql`${seq} >= ${since} and ${seq} <= ${toSeq}`
  return withoutPreparedPlan(sql<OrderRow[]>`
  select due.order_hash, whole.*, b.time as first_sec, '0x' || encode(t.token, 'hex') as token,
         '0x' || encode(maker.address, 'hex') as maker,
         array(select '0x' || encode(address, 'hex') from wallets where id = any(whole.taker_ids))
           as takers,
         '0x' || encode(last.tx_hash, 'hex') as last_tx_hash,
         (select count(*)::integer from fills f
           where f.tx_hash = last.tx_hash and f.flags & 128 = 0 and ${isNear(sql`f.seq`)}
             and f.seq >= (whole.last_seq::bigint >> 20) << 20 and f.seq < whole.last_seq::bigint)
           as last_ordinal
    from unnest(${due.map(({ orderHash }) => orderHash)}::text[],
                ${due.map(({ firstSeq }) => firstSeq)}::bigint[]) as due (order_hash, since)
   cross join lateral (
     select min(seq)::float8 as first_seq, max(seq)::float8 as last_seq, count(*)::integer as fills,
            sum(usd)::bigint as usd, sum(shares)::bigint as shares, min(token) as token_key,
            min(wallet) as wallet, array_agg(distinct taker) as taker_ids
       from fills
      where ${isOfOrder(sql, 'fills.order_hash', fromHex(sql, 'due.order_hash'))}
        and seq >= due.since and ${isNear(sql`seq`)} and flags & 128 = 0
     having count(*) > 0
   ) whole
    join fills last on last.seq = whole.last_seq::bigint and ${isNear(sql`last.seq`)}
    join blocks b on b.number = whole.first_seq::bigint >> 20
    join tokens t on t.id = whole.token_key
    join wallets maker on maker.id = whole.wallet`)
}

type ListedFill = { usd: bigint; shares: bigint; timeSec: number }

const selectListedFills = ({ sql }: FactSlice, { orderHash, firstSeq, lastSeq }: OrderRow) =>
  withoutPreparedPlan(sql<ListedFill[]>`
  select usd, shares, b.time as time_sec
    from fills
    join blocks b on b.number = fills.seq >> 20
   where ${isOfOrder(sql, 'fills.order_hash', sql`decode(substr(${orderHash}, 3), 'hex')`)}
     and fills.seq between ${firstSeq} and ${lastSeq} and flags & 128 = 0
   order by fills.seq
   limit ${FILLS_MAX}`)

function toOccurrence(order: OrderRow, fills: readonly ListedFill[], market: SliceMarket): Occurrence {
  const { orderHash, firstSeq, lastSeq, firstSec, maker, usd, shares, token } = order
  const named = { market: market.question, outcome: outcomeOfToken(market, token) }
  const present = (): WebhookPayload<'order_complete'> => ({
    order_hash: orderHash,
    fill_count: order.fills,
    total_usd: toDecimal(usd),
    fills: fills.map((fill) => ({
      amount_usd: toDecimal(fill.usd),
      price: toPrice(fill.usd, fill.shares),
      ...named,
      timestamp: String(fill.timeSec),
    })),
    wallet: maker,
    avg_price: toPrice(usd, shares),
    ...named,
    slug: market.slug,
    condition_id: market.conditionId,
    event_slug: market.eventSlug,
  })
  return {
    type: 'order_complete',
    seq: lastSeq,
    sinceSeq: firstSeq,
    timeSec: firstSec,
    identity: `${orderHash} ${order.lastTxHash} ${order.lastOrdinal}`,
    keys: { wallets: [...new Set([maker, ...order.takers])], usd },
    present,
  }
}
