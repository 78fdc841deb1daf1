import { comboPnl, comboSums } from '../combos/aggregates.js'
import { SCORE_CHECKSUM } from '../copy-pnl/queue-queries.js'
import { COPY_PERIODS } from '../copy-pnl/window.js'
import { REORG_BLOCKS_MAX } from '../core/blocks.js'
import { endOfBlock, seqOf } from '../core/seq.js'
import { chainTokens, statsOf } from '../markets/stats/sums.js'
import type { Fragment, Sql } from '../store/connection.js'
import { hex, rowsDigest } from '../store/sql-words.js'
import { compareTable } from './compare.js'
import { count, countRows, EXAMPLES_MAX, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'

/*
 * Snapshots that jobs make. What depends on prices of their moment cannot be computed again: it is compared with the
 * digest that the job has stored. What depends on the chain alone is computed again too, except for the newest
 * trades, which a reorganisation may revert and the next refresh counts again.
 */

type StatsRow = { period: string; startHour: number; block: number; isOfLedger: boolean }

export async function checkStats(sql: Sql): Promise<Finding> {
  const tally = new Tally()
  const periods = await sql<StatsRow[]>`
    select period, start_hour, s.block, s.epoch = c.epoch as is_of_ledger
      from stats_snapshots s, chain_state c
     order by period`
  for (const { period, startHour, block, isOfLedger } of periods) {
    const rows = sql`where period = ${period}`
    const noted = (column: string) => sql`
      select ${sql(column)} from stats_snapshots where period = ${period}`
    await compareDigest(sql, tally, {
      table: 'market_stats',
      rows,
      noted: noted('markets_digest'),
      keys: { period },
    })
    await compareDigest(sql, tally, {
      table: 'event_stats',
      rows,
      noted: noted('events_digest'),
      keys: { period },
    })
    if (isOfLedger) await compareMarkets(sql, tally, { period, startHour, block })
  }
  return tally.toFinding(sql, 'statistics', count(tally.rows, 'row'))
}

type Digested = { table: string; rows: Fragment; noted: Fragment; keys: Record<string, string> }

/** A digest that is not there yet is no difference: the rows are being made. */
async function compareDigest(sql: Sql, tally: Tally, digested: Digested): Promise<void> {
  const { table, rows, noted, keys } = digested
  const [row] = await sql<{ rows: number; differs: boolean | null }[]>`
    select count(*)::integer as rows, ${rowsDigest(sql)} <> (${noted}) as differs
      from ${sql(table)} as stored ${rows}`
  tally.rows += row?.rows ?? 0
  if (row?.differs !== true) return
  tally.add({ keys, what: `the rows of ${table} are not those that were written` })
}

type StatsWindow = Omit<StatsRow, 'isOfLedger'>

/** Of markets whose last trade no reorganisation has reverted since, and whose tokens logs had stated by then. */
async function compareMarkets(
  sql: Sql,
  tally: Tally,
  { period, startHour, block }: StatsWindow,
): Promise<void> {
  const lowest = block - REORG_BLOCKS_MAX
  const rows = await sql<{ condition: string; total: number }[]>`
    with fresh as (
      ${statsOf(sql, chainTokens(sql, lowest), startHour)}
    ), stored as (
      select *, condition as subject from market_stats where period = ${period}
    )
    select ${hex(sql, 'subject')} as condition, count(*) over ()::integer as total
      from fresh
      full join stored using (subject)
     where subject in (select subject from (${chainTokens(sql, lowest)}) as compared)
       and greatest(fresh.last_seq, stored.last_seq) < ${seqOf(lowest, 0)}
       and (fresh.trades, fresh.traders, fresh.volume, fresh.shares, fresh.buy_volume, fresh.fees,
            fresh.first_seq, fresh.last_seq)
           is distinct from
           (stored.trades, stored.traders, stored.volume, stored.shares, stored.buy_volume,
            stored.fees, stored.first_seq, stored.last_seq)
     order by subject
     limit ${EXAMPLES_MAX}`
  tally.addRows(rows, ({ condition }) => ({
    keys: { period, condition },
    what: `its statistics are not those of its trades up to block ${block}`,
  }))
}

/** No reorganisation reverts more than these last seconds of the chain. */
const REORG_SEC_MAX = 600

export async function checkBuilderBoard(sql: Sql): Promise<Finding> {
  const tally = new Tally()
  await compareDigest(sql, tally, {
    table: 'builder_board',
    rows: sql``,
    keys: {},
    noted: sql`select digest from builder_board_state`,
  })
  const [state] = await sql<{ untilSec: number | null }[]>`
    select block_time - ${REORG_SEC_MAX}::integer as until_sec from builder_board_state`
  if (state?.untilSec != null) {
    const derived = sql`
      select builder, wallet, fills, active_days, first_sec, last_sec, buy_shares as buy_volume,
             sell_shares as sell_volume, buy_shares + sell_shares as volume, fees
        from builder_wallets
       where last_sec < ${state.untilSec}`
    const only = sql`last_sec < ${state.untilSec}
      and not exists (select from builder_wallets b
                       where b.builder = builder_board.builder and b.wallet = builder_board.wallet
                         and b.last_sec >= ${state.untilSec})`
    await compareTable(sql, BUILDER_BOARD, { only, derived }, tally)
  }
  return tally.toFinding(sql, 'builder boards', count(tally.rows, 'row'))
}

const BUILDER_BOARD = {
  name: 'builder_board',
  keys: ['builder', 'wallet'],
  values: ['fills', 'active_days', 'first_sec', 'last_sec', 'buy_volume', 'sell_volume', 'volume', 'fees'],
}

/** The ranks, and what was booked of combos up to the last block that no reorganisation reverts. */
export async function checkComboBoards(sql: Sql, scope: Scope): Promise<Finding> {
  const tally = new Tally()
  await compareDigest(sql, tally, {
    table: 'combo_ranks',
    rows: sql``,
    keys: {},
    noted: sql`select ranks_digest from combo_state`,
  })
  const [state] = await sql<{ finalBlock: number | null; isOfLedger: boolean }[]>`
    select final_block, s.epoch = c.epoch as is_of_ledger from combo_state s, chain_state c`
  if (scope.isWhole && state?.isOfLedger === true && state.finalBlock !== null) {
    const after = scope.fromSeq - 1
    const until = endOfBlock(state.finalBlock)
    const pnl = { only: sql`seq <= ${until}`, derived: comboPnl(sql, after, until) }
    await compareTable(sql, COMBO_PNL, pnl, tally)
    const isFinal = sql`touched_seq <= ${until}`
    const isCompared = sql`
      condition not in (select condition from combo_markets where touched_seq > ${until})`
    const derived = sql`
      select condition, touched_seq, last_seq, executions, volume, lifecycle, redeems, transfers,
             array[touched_seq, last_seq, executions, volume, lifecycle, redeems, transfers] as final
        from (${comboSums(sql, after, until)}) as summed
       where ${isCompared}`
    await compareTable(sql, COMBO_MARKETS, { only: isFinal, derived }, tally)
  }
  return tally.toFinding(sql, 'combo boards', count(tally.rows, 'row'))
}

const COMBO_PNL = {
  name: 'combo_pnl',
  keys: ['seq', 'sub'],
  values: ['amount', 'wallet', 'token'],
}
const COMBO_MARKETS = {
  name: 'combo_markets',
  keys: ['condition'],
  values: ['touched_seq', 'last_seq', 'executions', 'volume', 'lifecycle', 'redeems', 'transfers', 'final'],
}

/** Each scored wallet has a score for each period, as the scoring run wrote it. */
export async function checkCopyScores(sql: Sql): Promise<Finding> {
  const tally = new Tally()
  const rows = await sql<{ wallet: string; what: string; total: number }[]>`
    select ${hex(sql, 'wallet')} as wallet, what, count(*) over ()::integer as total
      from (select wallet, 'its score of ' || days || ' days is not the one that was written' as what
              from copy_scores
             where checksum <> ${sql.unsafe(SCORE_CHECKSUM)}
            union all
            select w.wallet, 'has no score for some of the periods'
              from copy_wallets w
             where w.scored_at is not null
               and (select count(*) from copy_scores s where s.wallet = w.wallet)
                   <> ${COPY_PERIODS.length}) as wrong
     order by 1, what
     limit ${EXAMPLES_MAX}`
  tally.addRows(rows, ({ wallet, what }) => ({ keys: { wallet }, what }))
  return tally.toFinding(sql, 'copy-pnl scores', count(await countRows(sql, 'copy_scores'), 'row'))
}
