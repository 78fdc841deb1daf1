import { insertDigests } from '../../src/chain/write/fact-digests.js'
import { buildIndexes } from '../../src/chain/write/partitions.js'
import { buildReadIndexes } from '../../src/chain/write/read-indexes.js'
import type { Step } from './facts.js'
import { EXCHANGE, type HistoryShape } from './size.js'

/** What booking the facts would have left, as sums over them. The audit finds no difference. */

const insertPositions = ({ zeroSec, blockSec }: HistoryShape): string => `
  insert into positions (wallet, token, first_sec, last_sec, filled_sec, is_combo, balance, held, cost,
                         realized, bought, bought_cost, fees)
  select wallet, token, first_sec, greatest(last_sec, sec), last_sec, p.is_combo::integer,
         held - coalesce(amount, 0), held - coalesce(amount, 0),
         case when amount is null then p.cost else 0 end,
         realized + coalesce(payout - p.cost, 0), bought, bought_cost, fees
    from bench_positions as p
    left join bench_redemptions as r using (wallet, token)
   order by wallet, token;
  insert into positions (wallet, token, first_sec, last_sec, filled_sec, is_combo, balance, held, cost,
                         realized, bought, bought_cost, fees)
  select party.wallet, token, begin_sec, party.last_sec, 0, is_combo::integer, party.balance,
         0, 0, 0, 0, 0, 0
    from (select 2 * condition - 1 + outcome as token, is_combo, minted,
                 ${zeroSec} + ${blockSec} * from_block as begin_sec
            from bench_conditions
           cross join generate_series(0, 1) as outcome) as made
    left join (select token, sum(held) as held, max(last_sec) as last_sec
                 from bench_positions group by token) as traded using (token)
    left join (select token, sum(amount) as amount, max(sec) as last_sec
                 from bench_redemptions group by token) as redeemed using (token)
   cross join lateral (
     values (0, coalesce(redeemed.last_sec, begin_sec), coalesce(redeemed.amount, 0) - minted),
            (${EXCHANGE}, coalesce(traded.last_sec, begin_sec), minted - coalesce(traded.held, 0))
   ) as party (wallet, last_sec, balance)`

const INSERT_PNL = `
  insert into pnl (seq, sub, wallet, token, amount, cause)
  select seq, 0, wallet, token, amount, cause
    from (select seq, wallet, token, usd - cost as amount, 0 as cause from bench_fills where is_sell
          union all
          select seq, wallet, token, payout - cost, 2 from bench_redemptions) as steps
   where amount <> 0
   order by seq`

const insertTotals = (table: string, isCombo: number): string => `
  insert into ${table} (wallet, positions, wins, losses, fills, fee_fills, realized, profit, loss, bought,
                        volume, fees, first_fill, last_fill, first_fee, last_fee)
  select wallet, positions, wins, losses, fills, fee_fills, realized, profit, loss, bought, volume, fees,
         first_fill, last_fill, first_fee, last_fee
    from (select wallet, count(*) filter (where bought > 0) as positions,
                 count(*) filter (where realized > 0) as wins,
                 count(*) filter (where realized < 0) as losses,
                 sum(realized) as realized,
                 coalesce(sum(realized) filter (where realized > 0), 0) as profit,
                 coalesce(sum(realized) filter (where realized < 0), 0) as loss,
                 sum(bought) as bought
            from positions
           where is_combo = ${isCombo} and filled_sec > 0
           group by wallet) as held
    join (select wallet, count(*) as fills, count(*) filter (where fee > 0) as fee_fills,
                 sum(usd) as volume, sum(fee) as fees, min(seq) as first_fill, max(seq) as last_fill,
                 coalesce(min(seq) filter (where fee > 0), 0) as first_fee,
                 coalesce(max(seq) filter (where fee > 0), 0) as last_fee
            from bench_fills
           where is_combo::integer = ${isCombo}
           group by wallet) as traded using (wallet)
   order by wallet`

const MARKET_SUMS = `
  count(*), min(seq), max(seq), sum(usd), sum(shares),
  coalesce(sum(usd) filter (where not is_sell), 0), sum(fee)`

const insertCandles = (table: string, unit: string, seconds: number): string => `
  insert into ${table} (token, ${unit}, open, high, low, close, trades, first_seq, last_seq, volume,
                        shares, buy_volume, fees)
  select token, sec / ${seconds}, (array_agg(price order by seq))[1], max(price), min(price),
         (array_agg(price order by seq desc))[1], ${MARKET_SUMS}
    from bench_fills
   cross join lateral (select (2000000 * usd + shares) / (2 * shares) as price) as priced
   where is_taker
   group by token, sec / ${seconds}
   order by token, sec / ${seconds}`

const INSERT_TOKENS = `
  insert into token_totals (token, trades, first_seq, last_seq, volume, shares, buy_volume, fees)
  select token, ${MARKET_SUMS} from bench_fills where is_taker group by token order by token;
  insert into last_prices (token, seq, usd, shares)
  select 2 * condition - 1 + outcome, seq,
         case when 2 * condition - 1 + outcome = token then usd else shares - usd end, shares
    from (select distinct on (condition) condition, token, seq, usd, shares
            from bench_fills where is_taker
           order by condition, seq desc) as last
   cross join generate_series(0, 1) as outcome;
  insert into supplies (token, minted, burned)
  select token, sum(minted), sum(burned) from supply_changes group by token order by token;
  insert into reserves (condition, redeemed_legs, paid_in, paid_out)
  select condition, count(wallet), minted, coalesce(sum(payout), 0)
    from bench_conditions left join bench_redemptions using (condition)
   group by condition, minted
   order by condition`

const BUILDER_SUMS = `
  count(*), coalesce(sum(shares) filter (where not is_sell), 0),
  coalesce(sum(shares) filter (where is_sell), 0), sum(fee)`

const INSERT_BUILDERS = `
  insert into builder_totals (builder, fills, buy_shares, sell_shares, fees, wallets, first_seq, last_seq,
                              buy_usd, sell_usd)
  select builder, ${BUILDER_SUMS}, count(distinct wallet), min(seq), max(seq),
         coalesce(sum(usd) filter (where not is_sell), 0),
         coalesce(sum(usd) filter (where is_sell), 0)
    from bench_fills
   where builder is not null and not is_combo
   group by builder;
  insert into builder_wallets (builder, wallet, fills, buy_shares, sell_shares, fees, active_days,
                               first_sec, last_sec)
  select builder, wallet, ${BUILDER_SUMS}, count(distinct sec / 86400), min(sec), max(sec)
    from bench_fills
   where builder is not null and not is_combo
   group by builder, wallet
   order by builder, wallet;
  insert into builder_days (builder, day, fills, buy_shares, sell_shares, fees, wallets, new_wallets)
  select builder, sec / 86400, ${BUILDER_SUMS}, count(distinct wallet), 0
    from bench_fills
   where builder is not null and not is_combo
   group by builder, sec / 86400
   order by builder, sec / 86400;
  update builder_days
     set new_wallets = begun.wallets
    from (select builder, first_sec / 86400 as day, count(*) as wallets
            from builder_wallets group by 1, 2) as begun
   where begun.builder = builder_days.builder and begun.day = builder_days.day`

const DROP_DRAFTS = `
  drop table bench_draft, bench_fills, bench_conditions, bench_positions, bench_redemptions`

export const LEDGER_STEPS: readonly Step[] = [
  { name: 'rows of positions', query: insertPositions },
  { name: 'rows of profit and loss', query: () => INSERT_PNL },
  { name: 'totals of wallets', query: () => insertTotals('wallet_totals', 0) },
  { name: 'totals of combos', query: () => insertTotals('combo_totals', 1) },
  { name: 'candles of minutes', query: () => insertCandles('minute_candles', 'minute', 60) },
  { name: 'candles of hours', query: () => insertCandles('hour_candles', 'hour', 3_600) },
  { name: 'rows of tokens', query: () => INSERT_TOKENS },
  { name: 'rows of builders', query: () => INSERT_BUILDERS },
]

export const LAST_STEPS: readonly Step[] = [
  { name: 'drafts', query: () => DROP_DRAFTS },
  {
    name: 'digests of blocks',
    run: (pool, { firstBlock, lastBlock }) =>
      insertDigests(pool, { fromBlock: firstBlock, toBlock: lastBlock }),
  },
  { name: 'indexes of partitions', run: (pool) => buildIndexes(pool) },
  { name: 'indexes of positions', run: (pool) => buildReadIndexes(pool) },
  { name: 'statistics', query: () => 'vacuum analyze' },
]
