import { ensurePartitions } from '../../src/chain/write/partitions.js'
import type { Pool } from '../../src/store/connection.js'
import { transact } from '../../src/store/transaction.js'
import { EXCHANGES } from '../../src/upstreams/polygon/contracts.js'
import {
  BUILDERS,
  EXCHANGE,
  FILLS_PER_MATCH,
  type HistoryShape,
  LASTING_CONDITIONS,
  ORACLE,
  WHALE,
} from './size.js'

/** One query, or what takes several. */
export type Step = { name: string } & (
  | { query(shape: HistoryShape): string }
  | { run(pool: Pool, shape: HistoryShape): Promise<unknown> }
)

/**
 * The facts of a history, made by the database itself. A position is bought a few times and then sold
 * whole, over and over: so its cost never has to be divided, and sums alone give what the ledger
 * would have booked. The sides of a match do not fit each other; the exchange has the difference, out
 * of a set that it made when the condition began.
 */
export const FACT_STEPS: readonly Step[] = [
  { name: 'matches', query: draftFills },
  { name: 'fills', query: placeFills },
  { name: 'conditions', query: placeConditions },
  { name: 'positions', query: sumPositions },
  { name: 'redemptions', query: placeRedemptions },
  {
    name: 'partitions',
    run: (pool, { firstBlock, lastBlock }) =>
      transact(pool, (tx) => ensurePartitions(tx, firstBlock, lastBlock, { bare: true })),
  },
  { name: 'rows of blocks', query: insertBlocks },
  { name: 'rows of fills', query: insertFills },
  { name: 'rows of ids', query: insertIds },
  { name: 'rows of sets', query: insertSets },
  { name: 'state', query: insertState },
]

/** A number below `below` that depends on `of`. */
function draw(of: string, seed: number, below: number | string): string {
  return `((hashint8extended(${of}, ${seed}) & 1073741823) % ${below})`
}

const TAKER_SLOT = FILLS_PER_MATCH - 1
/** A passing condition is traded beside this many others. */
const NEIGHBOURS = 40
const PATIENCE_BLOCKS = 50

const walletOf = (slot: string, { wallets }: HistoryShape): string => `
  (${WHALE + 1} + floor(${wallets} * power(
    ${draw(`token * 8192 + ${draw(`m * ${FILLS_PER_MATCH} + ${slot}`, 8, `case when condition <= ${LASTING_CONDITIONS} then 5000 else 60 end`)}`, 9, 1_000_000)} / 1e6,
    2)))::integer`

function draftFills(shape: HistoryShape): string {
  return `
  create unlogged table bench_draft as
  with matches as (
    select m, ${shape.firstBlock} + 16 + m * ${shape.spanBlocks} / ${shape.matches} as block,
           (case when ${draw('m', 1, 4)} = 0 then 1 + ${draw('m', 2, LASTING_CONDITIONS)}
                 else ${LASTING_CONDITIONS + 1} + m * ${shape.passingConditions} / ${shape.matches}
                      + ${draw('m', 2, NEIGHBOURS)} end)::integer as condition,
           ${draw('m', 3, 2)}::integer as outcome
      from generate_series(0::bigint, ${shape.matches - 1}) as m
  ),
  priced as (
    select *, 2 * condition - 1 + outcome as token,
           (7 + ${draw('condition * 2 + outcome', 5, 80)} + ${draw('m', 4, 7)}) * 10000 as price
      from matches
  ),
  taken as (select *, ${walletOf(`${TAKER_SLOT}`, shape)} as taker_wallet from priced)
  select (block << 20) + slot as seq, condition, token, price, slot = ${TAKER_SLOT} as is_taker,
         case when slot = ${TAKER_SLOT} then taker_wallet
              when token % ${shape.whaleEvery} = 0
                   and ${draw('m * 4 + slot', 6, 1_000)} < ${shape.whaleParts} - slot * 1000
              then ${WHALE}
              else ${walletOf('slot', shape)} end as wallet,
         case when slot = ${TAKER_SLOT} then ${EXCHANGE} else taker_wallet end as taker,
         (${draw('m * 4 + slot', 10, 40_000)} + 100) * 10000 as size
    from taken
   cross join generate_series(0, ${TAKER_SLOT}) as slot`
}

/** Every third, fourth or fifth fill of a position sells what was bought since the last sale. */
function placeFills({ zeroSec, blockSec }: HistoryShape): string {
  return `
  create unlogged table bench_fills as
  with numbered as (
    select *, (row_number() over own)::integer as number, 3 + (wallet + token) % 3 as cycle
      from bench_draft
    window own as (partition by wallet, token order by seq)
  ),
  summed as (
    select *, number % cycle = 0 as is_sell,
           (sum(case when number % cycle = 0 then 0 else size end) over own)::bigint as bought_to,
           (sum(case when number % cycle = 0 then 0 else size * price / 1000000 end) over own)::bigint
             as paid_to
      from numbered
    window own as (partition by wallet, token order by seq rows unbounded preceding)
  ),
  sold as (
    select *,
           case when is_sell then bought_to - coalesce(lag(bought_to, cycle) over own, 0)
                else size end as shares,
           case when is_sell then paid_to - coalesce(lag(paid_to, cycle) over own, 0) end as cost
      from summed
    window own as (partition by wallet, token order by seq)
  )
  select seq, shares * price / 1000000 as usd, shares,
         case when ${draw('seq', 11, 'case when is_taker then 2 else 20 end')} = 0 then shares * price / 100000000 else 0 end
           as fee,
         cost, (${zeroSec} + ${blockSec} * (seq >> 20))::integer as sec,
         wallet, taker, token, condition,
         case when wallet % 5 = 0 then 1 + wallet / 5 % ${BUILDERS} end as builder,
         is_sell, is_taker, ${isCombo('condition')} as is_combo
    from sold`
}

const isCombo = (condition: string): string =>
  `(${condition} > ${LASTING_CONDITIONS} and ${condition} % 25 = 7)`

/** Each condition begins with a set that the exchange makes; most of the passing ones have a result. */
function placeConditions({ lastBlock }: HistoryShape): string {
  return `
  create unlogged table bench_conditions as
  select condition, ${isCombo('condition')} as is_combo,
         ((min(seq) >> 20) - 1)::integer as from_block,
         sum(case when is_sell then 0 else shares end)::bigint as minted,
         case when condition > ${LASTING_CONDITIONS} and ${draw('condition', 12, 3)} > 0
                   and (max(seq) >> 20) < ${lastBlock - 2_000}
              then ((max(seq) >> 20) + ${PATIENCE_BLOCKS})::integer end as result_block,
         ${draw('condition', 13, 2)}::integer as winner
    from bench_fills
   group by condition`
}

function sumPositions(): string {
  return `
  create unlogged table bench_positions as
  select wallet, token, condition, is_combo, min(sec) as first_sec, max(sec) as last_sec,
         count(*) as fills,
         sum(case when is_sell then -shares else shares end)::bigint as held,
         (sum(case when is_sell then -cost else usd end))::bigint as cost,
         coalesce(sum(usd - cost) filter (where is_sell), 0)::bigint as realized,
         sum(case when is_sell then 0 else shares end)::bigint as bought,
         sum(case when is_sell then 0 else usd end)::bigint as bought_cost,
         sum(fee)::bigint as fees
    from bench_fills
   group by wallet, token, condition, is_combo`
}

/** Two of three holders redeem. */
function placeRedemptions({ zeroSec, blockSec }: HistoryShape): string {
  return `
  create unlogged table bench_redemptions as
  select (block << 20) + 524288 + condition % 512 * 1024 + number % 1000 as seq, wallet, token,
         condition, is_combo, held as amount, cost,
         case when (token + 1) % 2 = winner then held else 0 end as payout,
         (${zeroSec} + ${blockSec} * block)::integer as sec
    from (select *, row_number() over (partition by condition order by wallet, token) as number
            from bench_positions
            join (select condition, result_block, winner from bench_conditions
                   where result_block is not null) as results using (condition)
           where held > 0 and ${draw('wallet::bigint * 100003 + token', 14, 3)} > 0) as held
   cross join lateral (select result_block + 1 + number / 1000 as block) as placed`
}

function insertBlocks({ zeroSec, blockSec, firstBlock, lastBlock }: HistoryShape): string {
  return `
  insert into blocks
  select number, ${zeroSec} + ${blockSec} * number, sha256(int4send(number))
    from (select (seq >> 20)::integer as number from bench_draft
          union select from_block from bench_conditions
          union select result_block from bench_conditions where result_block is not null
          union select (seq >> 20)::integer from bench_redemptions
          union values (${firstBlock}), (${lastBlock})) as numbers
   order by number`
}

const TX_HASH = `sha256(int8send(seq >> 20))`

function insertFills(): string {
  return `
  insert into fills
  select seq, usd, shares, fee, wallet, taker, ${EXCHANGE}, token, builder,
         is_sell::integer + 2 * is_taker::integer + 8 * (condition % 3 = 0)::integer + 32
           + 128 * is_combo::integer,
         sha256(int8send(seq)), ${TX_HASH}, null
    from bench_fills
   order by seq`
}

/** Tokens of a condition are 2 * condition - 1 and 2 * condition; ids of combos are structured. */
function insertIds(): string {
  return `
  insert into conditions
  select condition, case when is_combo then ${comboId('00')} else ${plainId('condition')} end,
         (from_block::bigint << 20) + 2 * condition
    from bench_conditions;
  insert into tokens
  select 2 * condition - 1 + outcome, condition, from_block, outcome,
         (from_block::bigint << 20) + 2 * condition + (not is_combo)::integer,
         case when not is_combo then ${plainId('-2 * condition - outcome')}
              when outcome = 0 then ${comboId('00')} else ${comboId('01')} end
    from bench_conditions
   cross join generate_series(0, 1) as outcome;
  insert into builders
  select builder, sha256(int4send(-1000 - builder)), min(seq)
    from bench_fills where builder is not null group by builder;
  insert into wallets
  select id, substr(sha256(int4send(id)), 1, 20), min(seq)
    from (select wallet as id, min(seq) as seq from bench_fills group by wallet
          union all
          select taker, min(seq) from bench_fills where not is_taker group by taker) as named
   group by id`
}

/** No hash begins with a byte that a structured id may have. */
function plainId(of: string): string {
  return `set_byte(sha256(int4send((${of})::integer)), 0, 170)`
}

function comboId(outcome: string): string {
  return `('\\x03'::bytea || substr(sha256(int4send(condition)), 1, 16)
           || '\\x0002000000000000000000000000${outcome}'::bytea)`
}

function insertSets(): string {
  return `
  insert into preparations
  select (from_block::bigint << 20) + 2 * condition, condition, ${ORACLE}, 2,
         sha256(int4send(-condition)), sha256(int4send(from_block))
    from bench_conditions where not is_combo;
  insert into combos
  select (from_block::bigint << 20) + 2 * condition, condition,
         ${plainId('-2')} || ${plainId('-4')}, sha256(int4send(from_block))
    from bench_conditions where is_combo;
  insert into splits
  select (from_block::bigint << 20) + 2 * condition + 1, minted, ${EXCHANGE}, condition, 2,
         sha256(int4send(from_block)), null
    from bench_conditions;
  insert into resolutions
  select (result_block::bigint << 20) + condition, condition,
         case when winner = 0 then '{1,0}'::numeric[] else '{0,1}' end,
         sha256(int4send(result_block))
    from bench_conditions where result_block is not null;
  insert into redemptions
  select seq, payout, wallet, condition, 6, array[token], array[amount], ${TX_HASH}
    from bench_redemptions
   order by seq;
  insert into supply_changes
  select block, token, sum(minted), sum(burned)
    from (select from_block as block, 2 * condition - 1 + outcome as token, minted, 0 as burned
            from bench_conditions cross join generate_series(0, 1) as outcome
          union all
          select (seq >> 20)::integer, token, 0, amount from bench_redemptions) as changes
   group by block, token`
}

function insertState({ firstBlock, lastBlock, zeroSec, blockSec }: HistoryShape): string {
  return `
  insert into wallets
  select ${EXCHANGE}, '\\x${(EXCHANGES.values().next().value ?? '').slice(2)}', min(seq) from splits;
  insert into wallets
  select ${ORACLE}, substr(sha256(int4send(${ORACLE})), 1, 20), min(seq) from preparations;
  insert into coverage values (${firstBlock}, ${lastBlock});
  insert into recent_blocks
  select number, time, hash, sha256(int4send(number - 1)) from blocks where number = ${lastBlock};
  update undo_floor set block = ${lastBlock};
  update chain_state
     set ledger_from = ${firstBlock}, block = ${lastBlock},
         block_hash = sha256(int4send(${lastBlock})),
         block_time = ${zeroSec} + ${blockSec} * ${lastBlock},
         first_block = ${firstBlock}, first_hash = sha256(int4send(${firstBlock}))`
}
