import { endOfBlock } from '../core/seq.js'
import { COMBO_ACTIONS } from '../events/combo-actions.js'
import { unrealizedPnl } from '../lookups/position-sql.js'
import { lastReorg, transactRefresh } from '../lookups/snapshot.js'
import { refreshInSlices, type SnapshotSlice } from '../lookups/snapshot-slice.js'
import type { Fragment, Pool, Sql } from '../store/connection.js'
import { rowsDigest } from '../store/sql-words.js'

/** Blocks that one transaction adds while the history is read: a few hundred thousand fills. */
const SLICE_BLOCKS = 20_000

/**
 * Brings combo_markets and combo_pnl up to the head. What is final is added once, in slices; what a
 * reorganisation may revert is taken out and added again in every run.
 */
export async function refreshComboAggregates(pool: Pool, signal: AbortSignal): Promise<void> {
  await refreshInSlices(pool, { stateTable: 'combo_state', blocksMax: SLICE_BLOCKS, signal }, addSlice)
}

async function addSlice(tx: Sql, slice: SnapshotSlice): Promise<void> {
  const { epoch, isFirst, from, finalBlock, isLast } = slice
  if (isFirst) await tx`truncate combo_markets, combo_pnl`

  await restoreFinal(tx, endOfBlock(from))
  await addFacts(tx, endOfBlock(from), endOfBlock(finalBlock))
  await keepFinal(tx, endOfBlock(from))
  if (isLast) await addFacts(tx, endOfBlock(finalBlock), endOfBlock(slice.headBlock))
  const headBlock = isLast ? slice.headBlock : finalBlock
  await tx`
    update combo_state set epoch = ${epoch}, final_block = ${finalBlock},
           head_block = ${headBlock}, rewind = ${lastReorg(tx)}`
}

/** Reverts the aggregates to what they were at this `seq`. Index: combo_markets_touched_seq. */
async function restoreFinal(tx: Sql, seq: number): Promise<void> {
  await tx`delete from combo_pnl where seq > ${seq}`
  await tx`delete from combo_markets where touched_seq > ${seq} and final is null`
  await tx`
    update combo_markets
       set touched_seq = final[1], last_seq = final[2], executions = final[3], volume = final[4],
           lifecycle = final[5], redeems = final[6], transfers = final[7]
     where touched_seq > ${seq}`
}

async function keepFinal(tx: Sql, seq: number): Promise<void> {
  await tx`
    update combo_markets
       set final = array[touched_seq, last_seq, executions, volume, lifecycle, redeems, transfers]
     where touched_seq > ${seq}`
}

/** Adds the facts with `after` < seq <= `until`. Indexes: primary keys. */
async function addFacts(tx: Sql, after: number, until: number): Promise<void> {
  if (until <= after) return
  await tx`
    insert into combo_markets
    ${comboSums(tx, after, until)}
    on conflict (condition) do update
       set touched_seq = excluded.touched_seq,
           last_seq = greatest(combo_markets.last_seq, excluded.last_seq),
           executions = combo_markets.executions + excluded.executions,
           volume = combo_markets.volume + excluded.volume,
           lifecycle = combo_markets.lifecycle + excluded.lifecycle,
           redeems = combo_markets.redeems + excluded.redeems,
           transfers = combo_markets.transfers + excluded.transfers`
  await tx`
    insert into combo_pnl (seq, amount, wallet, token, sub)
    ${comboPnl(tx, after, until)}`
}

/** What happened in each combo in the facts with `after` < seq <= `until`, as rows of combo_markets. */
export const comboSums = (sql: Sql, after: number, until: number): Fragment => sql`
    select condition, max(seq) as touched_seq,
           coalesce(max(seq) filter (where kind <> 'transfer'), 0) as last_seq,
           count(*) filter (where kind = 'fill') as executions,
           coalesce(sum(usd), 0)::bigint as volume,
           count(*) filter (where kind in ('event', 'redeem')) as lifecycle,
           count(*) filter (where kind = 'redeem') as redeems,
           count(*) filter (where kind = 'transfer') as transfers, null::bigint[] as final
      from (
        select condition, 'combo' as kind, seq, 0 as usd
          from combos
         where seq > ${after} and seq <= ${until}
        union all
        -- Orders that took: each match counts once.
        select t.condition, 'fill', f.seq, f.usd
          from fills f join tokens t on t.id = f.token
         where f.seq > ${after} and f.seq <= ${until} and f.flags & 130 = 130
        union all
        select e.condition, case when e.kind = 'positionRedeemed' then 'redeem' else 'event' end,
               e.seq, 0
          from combo_events e
         where e.seq > ${after} and e.seq <= ${until} and e.kind = any(${[...COMBO_ACTIONS.keys()]}::text[])
        union all
        select t.condition, 'transfer', x.seq, 0
          from transfers x join tokens t on t.id = x.token
         where x.seq > ${after} and x.seq <= ${until} and not x.is_internal
           and get_byte(t.token, 0) = 3
      ) facts
     where exists (select from combos c where c.condition = facts.condition)
     group by condition`

/** The rows of `pnl` with `after` < seq <= `until` that are about combos. */
export const comboPnl = (sql: Sql, after: number, until: number): Fragment => sql`
    select p.seq, p.amount, p.wallet, p.token, p.sub
      from pnl p
      join tokens t on t.id = p.token
     where p.seq > ${after} and p.seq <= ${until} and get_byte(t.token, 0) = 3
       and exists (select from combos c where c.condition = t.condition)`

/** Ranks that are kept of each order. */
const RANKS_MAX = 10_000

/** Ranks all wallets by their profit from combos, at current prices. */
export async function refreshComboRanks(pool: Pool): Promise<void> {
  await transactRefresh(pool, 'combo_state', async (tx) => {
    await tx`delete from combo_ranks`
    await tx`
      with prices as materialized (
        select held.token, price.source, price.numerator, price.denominator
          from (select distinct token from positions where is_combo = 1 and balance > 0) held
          join token_prices price on price.token = held.token
      ), held as materialized (
        select p.wallet, count(*) filter (where price.source is distinct from 'settlement') as opened,
               bool_or(price.source is null and p.held > 0) as is_unmarked,
               bool_or(p.balance > p.held) as is_incomplete, bool_and(p.bought = 0) as is_given,
               sum(${unrealizedPnl(tx)}) as unrealized
          from positions p
          join prices price on price.token = p.token
         where p.is_combo = 1 and p.balance > 0
         group by p.wallet
      ), wallets_of as materialized (
        select t.wallet, w.address, t.realized, t.positions, coalesce(h.opened, 0) as opened,
               case when h.is_unmarked is not true then coalesce(h.unrealized, 0) end as unrealized
          from combo_totals t
          join wallets w on w.id = t.wallet
          left join held h on h.wallet = t.wallet
         where t.positions > 0
      ), ranked as (
        select *, row_number() over (order by realized + unrealized desc nulls last, address)
                    as by_total,
               row_number() over (order by realized desc, address) as by_realized,
               row_number() over (order by unrealized desc nulls last, address) as by_unrealized
          from wallets_of
      ), written as (
        insert into combo_ranks
        select wallet, realized, unrealized, opened, positions, by_total, by_realized, by_unrealized
          from ranked
         where least(by_total, by_realized, by_unrealized) <= ${RANKS_MAX}
      )
      update combo_state
         set ranked_block = c.block, ranked_sec = c.block_time, ranked_rewind = ${lastReorg(tx)},
             eligible = (select count(*) from wallets_of),
             unmarked = (select count(*) from wallets_of where unrealized is null),
             incomplete = (select count(*) from held where is_incomplete),
             excluded = (select count(*) from held
                          where not exists (select from wallets_of o where o.wallet = held.wallet))
        from chain_state c`
    // A statement of its own: the one above does not see the rows that it inserts.
    await tx`
      update combo_state set ranks_digest = (select ${rowsDigest(tx)} from combo_ranks as stored)`
  })
}
