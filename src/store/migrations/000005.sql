-- What the platform publishes about builders: the copy of its board of all time. A builder that is not
-- on the board any more keeps its name, and loses its rank.
create table builder_profiles (
  code bytea primary key,
  -- null: it has none.
  name text,
  logo text,
  verified boolean not null,
  external_rank integer,
  -- Shares.
  external_volume numeric,
  external_active_users integer,
  read_at timestamptz not null
);
create index builder_profiles_name on builder_profiles (lower(name));

-- Combos. Their legs are structured positions, and no log states what a combo pays: its legs do.
create index combo_events_condition on combo_events (condition, seq);
create index combo_events_redeemed on combo_events (wallet, condition)
  where kind = 'positionRedeemed';

-- What says which market of the first contracts a structured condition or event stands for, and which
-- conditions of a structured event have a result that is not stored.
create index raw_logs_structured on raw_logs (kind, (topics[2]))
  where kind in ('migrationConditionRegistered', 'eventPrepared',
                 'remainingConditionsDerivableAsNo', 'syntheticConditionDerivableAsYes');
create index markets_question on markets (question_id);

-- The wallets that traded through each builder, with their whole profit: what the builders' boards of all
-- time show. A job refreshes it, because the unrealized part moves with every price.
create table builder_board (
  builder integer not null,
  wallet integer not null,
  fills integer not null,
  active_days integer not null,
  first_sec integer not null,
  last_sec integer not null,
  -- Shares.
  buy_volume bigint not null,
  sell_volume bigint not null,
  volume bigint not null,
  fees bigint not null,
  realized bigint not null,
  unrealized bigint not null,
  total bigint not null,
  primary key (builder, wallet)
);
create index builder_board_fills on builder_board (builder, fills, wallet);
create index builder_board_active_days on builder_board (builder, active_days, wallet);
create index builder_board_last_sec on builder_board (builder, last_sec, wallet);
create index builder_board_volume on builder_board (builder, volume, wallet);
create index builder_board_fees on builder_board (builder, fees, wallet);
create index builder_board_realized on builder_board (builder, realized, wallet);
create index builder_board_unrealized on builder_board (builder, unrealized, wallet);
create index builder_board_total on builder_board (builder, total, wallet);

-- `snapshot` moves when a row of the board changed; null times: it was never made.
create table builder_board_state (
  is_only_row boolean primary key default true check (is_only_row),
  snapshot integer not null default 0,
  block_time integer,
  taken_at timestamptz
);
insert into builder_board_state default values;

-- Statistics of markets and events by period, made by a job from candles, totals and positions; see
-- src/markets/stats/snapshot.ts. Only markets with a trade in the period have a row. `traders` are the
-- wallets with a fill, counted once. Amounts are millionths.
create table market_stats (
  period text not null,
  condition bytea not null,
  trades integer not null,
  traders integer not null,
  volume bigint not null,
  shares bigint not null,
  buy_volume bigint not null,
  fees bigint not null,
  first_seq bigint not null,
  last_seq bigint not null,
  primary key (period, condition)
);
create index market_stats_volume on market_stats (period, volume, condition);
create index market_stats_trades on market_stats (period, trades, condition);
create index market_stats_traders on market_stats (period, traders, condition);
create index market_stats_fees on market_stats (period, fees, condition);

-- Of all markets of an event that the catalogue has.
create table event_stats (
  period text not null,
  event integer not null,
  trades integer not null,
  traders integer not null,
  volume bigint not null,
  shares bigint not null,
  buy_volume bigint not null,
  fees bigint not null,
  first_seq bigint not null,
  last_seq bigint not null,
  primary key (period, event)
);
create index event_stats_volume on event_stats (period, volume, event);
create index event_stats_trades on event_stats (period, trades, event);
create index event_stats_traders on event_stats (period, traders, event);
create index event_stats_fees on event_stats (period, fees, event);

-- How far the rows of a period go, and sums over all of its markets.
create table stats_snapshots (
  period text primary key,
  -- Unix seconds.
  as_of integer not null,
  -- The first hour of the period, in Unix time / 3600; 0: all of them.
  start_hour integer not null,
  -- The head of the chain, and the epoch of the ledger.
  block integer not null,
  block_time integer not null,
  epoch integer not null,
  markets integer not null,
  resolved_markets integer not null,
  volume bigint not null,
  trades bigint not null
);

-- Rows are added in the order of time: this finds the hours of a period without an entry for each row.
create index hour_candles_hour on hour_candles using brin (hour) with (pages_per_range = 16);

-- What happened in each combo, up to the head. `final` has the same numbers, from touched_seq on, up to
-- the last block that no reorganisation takes back; null: nothing happened until then.
create table combo_markets (
  condition integer primary key,
  -- The newest fact of any kind, and the newest but for transfers.
  touched_seq bigint not null,
  last_seq bigint not null,
  executions bigint not null,
  volume bigint not null,
  lifecycle bigint not null,
  redeems bigint not null,
  transfers bigint not null,
  final bigint[]
);
create index combo_markets_touched_seq on combo_markets (touched_seq);
create index combo_markets_last_seq on combo_markets (last_seq, condition);

-- The rows of `pnl` that are about combos.
create table combo_pnl (
  seq bigint not null,
  amount bigint not null,
  wallet integer not null,
  token integer not null,
  sub smallint not null,
  primary key (seq, sub)
);
create index combo_pnl_wallet on combo_pnl (wallet, seq);

-- The best wallets of all time by each of three orders. Wallets without a number to order by are last.
create table combo_ranks (
  wallet integer primary key,
  realized bigint not null,
  unrealized bigint,
  opened integer not null,
  positions integer not null,
  by_total integer not null,
  by_realized integer not null,
  by_unrealized integer not null
);
create index combo_ranks_by_total on combo_ranks (by_total);
create index combo_ranks_by_realized on combo_ranks (by_realized);
create index combo_ranks_by_unrealized on combo_ranks (by_unrealized);

-- Up to where the tables above go; null: they are not made yet.
create table combo_state (
  is_only_row boolean primary key default true check (is_only_row),
  -- Of chain_state: when it moves, the tables are made anew.
  epoch integer,
  final_block integer,
  head_block integer,
  -- The ranks: the block and the time that they speak of, and numbers of wallets.
  ranked_block integer,
  ranked_sec integer,
  eligible integer not null default 0,
  -- Hold combos that they never bought.
  excluded integer not null default 0,
  -- Hold shares that came without cost.
  incomplete integer not null default 0,
  -- Hold shares without a price.
  unmarked integer not null default 0
);
insert into combo_state default values;
