import { ensurePartitions } from '../../src/chain/write/partitions.js'
import type { Pool } from '../../src/store/connection.js'

/** Blocks come every two seconds. A round of the bench is a minute of them. */
export const HEAD = 80_000_000
export const HEAD_SEC = 1_790_000_000
export const BLOCK_SEC = 2
export const ROUND_BLOCKS = 30
/** Within a round: as many events arrive, and as many leave the window of each of these days. */
export const ROUND_EVENTS = 10_000
const WINDOW_DAYS = [1, 7, 30]

const TAGS = 5_000
const DAY_BLOCKS = 86_400 / BLOCK_SEC
const HISTORY_BLOCKS = 31 * DAY_BLOCKS
/** A wallet has this many positions, two in each of its events. */
const WALLET_POSITIONS = 6

export type WorldSize = { wallets: number; events: number; rounds: number }

/** Wallets, markets with tags, positions and P&L events, as the chain and the catalogue would have left them. */
export async function buildWorld(pool: Pool, size: WorldSize): Promise<void> {
  const firstBlock = HEAD - HISTORY_BLOCKS
  const lastBlock = HEAD + size.rounds * ROUND_BLOCKS
  await pool.unsafe(`
    set statement_timeout = 0;
    set synchronous_commit = off;
    set work_mem = '256MB'`)
  await pool.begin((tx) => ensurePartitions(tx, firstBlock, lastBlock, { bare: true }))
  await pool.unsafe(`
    insert into blocks
    select n, ${HEAD_SEC} + (n - ${HEAD}) * ${BLOCK_SEC}, ''
      from generate_series(${firstBlock}, ${HEAD}) n`)
  await buildCatalogue(pool, size)
  await buildLedger(pool, size)
  await pool.unsafe(`
    update chain_state
       set ledger_from = ${firstBlock}, block = ${HEAD}, block_hash = '', block_time = ${HEAD_SEC};
    update undo_floor set block = ${HEAD};
    analyze`)
}

/** An event has a category, which is one of twenty tags, and five others, some of which most events have. */
async function buildCatalogue(pool: Pool, { wallets }: WorldSize): Promise<void> {
  const events = eventsOf(wallets)
  await pool.unsafe(`
    insert into wallets
    select n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 0 from generate_series(1, ${wallets}) n;
    insert into tags select n, 'tag-' || n, 'Tag ' || n from generate_series(1, ${TAGS}) n;
    insert into event_tags (event, tag, place)
    select e, 1 + least(${TAGS} - 1, (${TAGS} * power(${random('e', 'k')}, k + 1))::integer), min(k)
      from generate_series(1, ${events}) e, generate_series(1, 5) k
     group by 1, 2
     union all
    select e, 1 + (${random('e', '0')} * 19)::integer, 0 from generate_series(1, ${events}) e
        on conflict do nothing;
    insert into markets (id, event, first_seen, active, closed, archived, neg_risk, accepting_orders,
                         enable_order_book, outcomes, tokens)
    select e, e, '2026-01-01', true, false, false, false, true, true, '{Yes,No}',
           array[${tokenBytes('2 * e - 1')}, ${tokenBytes('2 * e')}]
      from generate_series(1, ${events}) e;
    insert into market_tokens (token, market, outcome)
    select ${tokenBytes('t')}, (t + 1) / 2, (t + 1) % 2 from generate_series(1, ${2 * events}) t;
    insert into conditions select e, ${tokenBytes('e')}, 0 from generate_series(1, ${events}) e;
    insert into tokens (id, condition, stated_in, outcome, since, token)
    select t, (t + 1) / 2, 1, (t + 1) % 2, 0, ${tokenBytes('t')}
      from generate_series(1, ${2 * events}) t;
    insert into last_prices (token, seq, usd, shares)
    select t, 1, 100 + (t * 7919) % 800, 1000 from generate_series(1, ${2 * events}) t`)
}

async function buildLedger(pool: Pool, { wallets, events, rounds }: WorldSize): Promise<void> {
  await pool.unsafe(`
    insert into positions (wallet, token, first_sec, last_sec, filled_sec, is_combo, balance, held, cost,
                           realized, bought, bought_cost, fees)
    select w, ${tokenOf(wallets, 'w', 'k')}, 1, 1, 1, 0, k % 3 * 1000000, k % 3 * 1000000, k % 3 * 400000,
           (${random('w', 'k')} * 2000000)::bigint - 1000000, 5000000, 2000000, 0
      from generate_series(1, ${wallets}) w, generate_series(0, ${WALLET_POSITIONS - 1}) k
        on conflict do nothing`)
  const uniform = `
    select ${HEAD - HISTORY_BLOCKS} + (i * ${HISTORY_BLOCKS}::bigint / ${events})::integer as block, i
      from generate_series(1, ${events}) i`
  const leaving = WINDOW_DAYS.map(
    (days) => `
      select ${HEAD - days * DAY_BLOCKS} + (i % ${rounds * ROUND_BLOCKS} + 1)::integer, i + ${events} * ${days}::bigint
        from generate_series(1, ${rounds * ROUND_EVENTS}) i`,
  )
  await pool.unsafe(insertPnl(wallets, [uniform, ...leaving].join(' union all ')))
}

/** The P&L events of these blocks, each of a wallet by chance, numbered within its block. */
const insertPnl = (wallets: number, events: string): string => `
  insert into pnl (seq, sub, amount, wallet, token, cause)
  select (block::bigint << 20) + row_number() over (partition by block), 0,
         case amount when 0 then 1 else amount end, wallet, ${tokenOf(wallets, 'wallet', 'k')}, 0
    from (select block, 1 + (${random('i', '1')} * ${wallets - 1})::integer as wallet,
                 (${random('i', '2')} * ${WALLET_POSITIONS - 1})::integer as k,
                 (${random('i', '3')} * 2000000)::bigint - 1000000 as amount
            from (${events}) e) drawn
   order by 1`

/** The next minute of blocks: P&L events, the positions that they change, and the journal of these. */
export async function addRound(pool: Pool, { wallets }: WorldSize, round: number): Promise<number> {
  const from = HEAD + (round - 1) * ROUND_BLOCKS
  const head = from + ROUND_BLOCKS
  const headSec = HEAD_SEC + (head - HEAD) * BLOCK_SEC
  await pool.unsafe(`
    insert into blocks
    select n, ${HEAD_SEC} + (n - ${HEAD}) * ${BLOCK_SEC}, ''
      from generate_series(${from + 1}, ${head}) n;
    ${insertPnl(
      wallets,
      `select ${from} + (i % ${ROUND_BLOCKS} + 1)::integer as block, i + ${round} * 1000000007::bigint as i
         from generate_series(1, ${ROUND_EVENTS}) i`,
    )};
    insert into undo (block, state, key)
    select distinct (seq >> 20)::integer, 'positions', array[wallet, token]::bigint[]
      from pnl where seq >= ${from + 1}::bigint << 20;
    update positions p
       set realized = p.realized + won.amount
      from (select wallet, token, sum(amount) as amount
              from pnl where seq >= ${from + 1}::bigint << 20 group by wallet, token) won
     where p.wallet = won.wallet and p.token = won.token;
    update chain_state set block = ${head}, block_time = ${headSec}`)
  return headSec
}

/** Wallets of an event: some hundred. */
const eventsOf = (wallets: number): number => Math.max(100, Math.ceil(wallets / 50))

const tokenOf = (wallets: number, wallet: string, k: string): string =>
  `1 + 2 * floor(${random(wallet, `(${k}) / 2`)} * ${eventsOf(wallets)})::integer + (${k}) % 2`

const tokenBytes = (id: string): string => `decode(lpad(to_hex(${id}), 64, '0'), 'hex')`

/** A number below 1 that follows from these two. */
const random = (one: string, other: string): string =>
  `((hashint8((${one})::bigint * 1000003 + (${other})::bigint) & 2147483647) / 2147483648.0::float8)`
