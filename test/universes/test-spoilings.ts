import type { Sql } from '../../src/store/connection.js'
import type { ComparedPart } from './compare/compare-answers.js'

/** The ids of what the comparison asks for one by one. */
export type SampledIds = { wallets: number[]; tokens: number[]; conditions: number[] }

/** A mistake that a service might make in a table of what users see, and the part of the comparison that reports it. */
export type Spoiling = {
  title: string
  part: ComparedPart
  table: string
  /** Changes one row. */
  spoil: (sql: Sql, sampled: SampledIds) => Promise<{ count: number }>
}

/** At least one for each table that answers about the chain come from. */
export const SPOILINGS: readonly Spoiling[] = [
  {
    title: 'a fill is lost',
    part: 'trades',
    table: 'fills',
    spoil: (sql) => sql`delete from fills where seq = (select max(seq) from fills where flags & 128 = 0)`,
  },
  {
    title: 'a fill is off by one millionth',
    part: 'trades',
    table: 'fills',
    spoil: (sql) =>
      sql`update fills set usd = usd + 1 where seq = (select min(seq) from fills where flags & 128 = 0)`,
  },
  {
    title: 'a fill is of another builder',
    part: 'trades',
    table: 'fills',
    spoil: (sql) => sql`
      update fills set builder = null
       where seq = (select max(seq) from fills where builder is not null and flags & 128 = 0)`,
  },
  {
    title: 'a fill of a combo is lost',
    part: 'combos',
    table: 'fills',
    spoil: (sql, { wallets }) => sql`
      delete from fills
       where seq = (select max(seq) from fills where flags & 128 <> 0 and wallet = any(${wallets}::integer[]))`,
  },
  {
    title: 'a block is a second late',
    part: 'trades',
    table: 'blocks',
    spoil: (sql) => sql`
      update blocks set time = time + 1
       where number = (select max(seq >> 20) from fills where flags & 128 = 0)`,
  },
  {
    title: 'a wallet has another address',
    part: 'trades',
    table: 'wallets',
    spoil: (sql) => sql`
      update wallets set address = set_byte(address, 19, get_byte(address, 19) # 1)
       where id = (select wallet from fills where flags & 128 = 0 order by seq limit 1)`,
  },
  {
    title: 'a token is of the other outcome',
    part: 'trades',
    table: 'tokens',
    spoil: (sql) => sql`
      update tokens set token = set_byte(token, 31, get_byte(token, 31) # 1)
       where id = (select token from fills where flags & 128 = 0 order by seq limit 1)`,
  },
  {
    title: 'a builder has another code',
    part: 'builders',
    table: 'builders',
    spoil: (sql) => sql`
      update builders set code = set_byte(code, 31, get_byte(code, 31) # 1)
       where id = (select min(builder) from builder_totals)`,
  },
  {
    title: 'a balance is off by one millionth',
    part: 'positions',
    table: 'positions',
    spoil: (sql) => sql`
      update positions set balance = balance + 1
       where (wallet, token) = (select wallet, token from positions
                                 where is_combo = 0 and balance > 0 and wallet > 0 order by 1, 2 limit 1)`,
  },
  {
    title: 'a cost is off by one millionth',
    part: 'positions',
    table: 'positions',
    spoil: (sql, { wallets }) => sql`
      update positions set cost = cost + 1
       where (wallet, token) = (select p.wallet, p.token from positions p
                                 where p.is_combo = 0 and p.held > 0 and p.wallet = any(${wallets}::integer[])
                                 order by p.held desc limit 1)`,
  },
  {
    title: 'a realized profit is rounded the other way',
    part: 'positions',
    table: 'positions',
    spoil: (sql) => sql`
      update positions set realized = realized - 1
       where (wallet, token) = (select wallet, token from positions
                                 where is_combo = 0 and realized > 0 order by 1, 2 limit 1)`,
  },
  {
    title: 'the last change of a position is a second late',
    part: 'positions',
    table: 'positions',
    spoil: (sql, { wallets }) => sql`
      update positions set last_sec = last_sec + 1
       where (wallet, token) = (select wallet, token from positions
                                 where is_combo = 0 and bought > 0 and wallet = any(${wallets}::integer[])
                                 order by last_sec desc limit 1)`,
  },
  {
    title: 'what all shares ever cost is off by one millionth a share',
    part: 'closedPositions',
    table: 'positions',
    spoil: (sql, { wallets }) => sql`
      update positions set bought_cost = bought_cost + bought / 1000000 + 1
       where (wallet, token) = (select wallet, token from positions
                                 where is_combo = 0 and bought > 0 and balance = 0
                                   and wallet = any(${wallets}::integer[]) limit 1)`,
  },
  {
    title: 'the cost of a combo is off by one millionth',
    part: 'combos',
    table: 'positions',
    spoil: (sql, { wallets }) => sql`
      update positions set cost = cost + 1
       where (wallet, token) = (select wallet, token from positions
                                 where is_combo = 1 and held > 0 and wallet = any(${wallets}::integer[]) limit 1)`,
  },
  {
    title: 'a last price is off by a tenth of a cent',
    part: 'positions',
    table: 'last_prices',
    spoil: (sql, { wallets }) => sql`
      update last_prices set usd = usd + 1000
       where token = (select p.token from positions p join token_prices price on price.token = p.token
                       where p.wallet = any(${wallets}::integer[]) and p.is_combo = 0 and p.held > 0
                         and price.source = 'last_fill' limit 1)`,
  },
  {
    title: 'the sum of a wallet is off by one millionth',
    part: 'wallets',
    table: 'wallet_totals',
    spoil: (sql, { wallets }) =>
      sql`update wallet_totals set realized = realized + 1 where wallet = ${wallets[0] ?? 0}`,
  },
  {
    title: 'the fees of a wallet are off by one millionth',
    part: 'wallets',
    table: 'wallet_totals',
    spoil: (sql, { wallets }) =>
      sql`update wallet_totals set fees = fees + 1 where wallet = ${wallets[0] ?? 0}`,
  },
  {
    title: 'the sum of a wallet in combos is off by one millionth',
    part: 'combos',
    table: 'combo_totals',
    spoil: (sql, { wallets }) => sql`
      update combo_totals set realized = realized + 1
       where wallet = (select wallet from combo_totals where wallet = any(${wallets}::integer[]) limit 1)`,
  },
  {
    title: 'a step is lost',
    part: 'wallets',
    table: 'pnl',
    spoil: (sql, { wallets }) => sql`
      delete from pnl
       where (seq, sub) = (select seq, sub from pnl p
                            where p.wallet = any(${wallets}::integer[])
                              and not exists (select from positions c
                                               where c.token = p.token and c.is_combo = 1)
                            order by seq desc, sub limit 1)`,
  },
  {
    title: 'a split is off by one millionth',
    part: 'activity',
    table: 'splits',
    spoil: (sql, { wallets }) => sql`
      update splits set amount = amount + 1
       where seq = (select max(seq) from splits where flags & 4 <> 0 and wallet = any(${wallets}::integer[]))`,
  },
  {
    title: 'a redemption is lost',
    part: 'activity',
    table: 'redemptions',
    spoil: (sql, { wallets }) => sql`
      delete from redemptions
       where seq = (select max(r.seq) from redemptions r join conditions c on c.id = r.condition
                     where r.flags & 4 <> 0 and r.wallet = any(${wallets}::integer[])
                       and get_byte(c.condition, 0) <> 3)`,
  },
  {
    title: 'a conversion is off by one millionth',
    part: 'activity',
    table: 'conversions',
    spoil: (sql, { wallets }) => sql`
      update conversions set amount = amount + 1
       where seq = (select max(seq) from conversions where wallet = any(${wallets}::integer[]))`,
  },
  {
    title: 'a deposit is off by one millionth',
    part: 'activity',
    table: 'flows',
    spoil: (sql, { wallets }) => sql`
      update flows set amount = amount + 1
       where seq = (select max(seq) from flows where kind = 0 and to_wallet = any(${wallets}::integer[]))`,
  },
  {
    title: 'a result is the other way round',
    part: 'conditions',
    table: 'resolutions',
    spoil: (sql) => sql`
      update resolutions set payouts = array[payouts[2], payouts[1]]
       where seq = (select min(seq) from resolutions where payouts[1] <> payouts[2])`,
  },
  {
    title: 'the volume of a minute is off by one millionth',
    part: 'candles',
    table: 'minute_candles',
    spoil: (sql, { tokens }) => sql`
      update minute_candles set volume = volume + 1
       where (token, minute) = (select token, minute from minute_candles
                                 where token = any(${tokens}::integer[]) order by minute desc limit 1)`,
  },
  {
    title: 'the last price of an hour is off by one millionth',
    part: 'candles',
    table: 'hour_candles',
    spoil: (sql, { tokens }) => sql`
      update hour_candles set close = close + 1
       where (token, hour) = (select token, hour from hour_candles
                               where token = any(${tokens}::integer[]) order by hour desc limit 1)`,
  },
  {
    title: 'a match of a token is counted twice',
    part: 'conditions',
    table: 'token_totals',
    spoil: (sql, { conditions }) => sql`
      update token_totals set trades = trades + 1
       where token = (select o.token from token_totals o join tokens t on t.id = o.token
                       where t.condition = any(${conditions}::integer[]) limit 1)`,
  },
  {
    title: 'the sum of a builder is off by one millionth',
    part: 'builders',
    table: 'builder_totals',
    spoil: (sql) => sql`
      update builder_totals set buy_shares = buy_shares + 1
       where builder = (select min(builder) from builder_totals)`,
  },
  {
    title: 'a wallet of a builder is counted twice on a day',
    part: 'builders',
    table: 'builder_days',
    spoil: (sql) => sql`
      update builder_days set wallets = wallets + 1
       where (builder, day) = (select builder, day from builder_days order by 1, 2 limit 1)`,
  },
  {
    title: 'the fees of a wallet on the board of a builder are off by one millionth',
    part: 'builders',
    table: 'builder_board',
    spoil: (sql) => sql`
      update builder_board set fees = fees + 1
       where (builder, wallet) = (select b.builder, b.wallet from builder_board b
                                    join builder_totals t on t.builder = b.builder
                                   order by t.fills desc limit 1)`,
  },
  {
    title: 'a redemption of a combo is off by one millionth',
    part: 'combos',
    table: 'combo_events',
    spoil: (sql, { wallets }) => sql`
      update combo_events set payout = payout + 1
       where seq = (select max(seq) from combo_events
                     where kind = 'positionRedeemed' and wallet = any(${wallets}::integer[]))`,
  },
  {
    title: 'the volume of a combo is off by one millionth',
    part: 'combos',
    table: 'combo_markets',
    spoil: (sql) => sql`
      update combo_markets set volume = volume + 1
       where condition = (select min(condition) from combo_markets)`,
  },
  {
    title: 'the profit of a wallet on the board of combos is off by one millionth',
    part: 'combos',
    table: 'combo_ranks',
    spoil: (sql) => sql`
      update combo_ranks set realized = realized + 1 where wallet = (select min(wallet) from combo_ranks)`,
  },
  {
    title: 'the profit of a wallet on the board of all time is off by one millionth',
    part: 'boards',
    table: 'all_time_boards',
    spoil: (sql) => sql`
      update all_time_boards set realized = realized + 1
       where (scope, wallet) = (select scope, wallet from all_time_boards where scope = 0 limit 1)`,
  },
  {
    title: 'a loss is counted twice on a rolling board',
    part: 'boards',
    table: 'rolling_boards',
    spoil: (sql) => sql`
      update rolling_boards set losses = losses + 1
       where (days, scope, wallet) = (select days, scope, wallet from rolling_boards
                                       where scope = 0 limit 1)`,
  },
  {
    title: 'a wallet is counted twice in a category',
    part: 'tagBoards',
    table: 'rolling_scopes',
    spoil: (sql) => sql`
      update rolling_scopes set wallets = wallets + 1
       where (days, scope) = (select r.days, r.scope from rolling_scopes r join board_scopes s on s.id = r.scope
                               where s.kind = 'category' order by 1, 2 limit 1)`,
  },
]
