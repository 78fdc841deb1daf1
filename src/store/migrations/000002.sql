-- Facts of the chain. `seq` is block number * 2^20 + log index (src/core/seq.ts): one number that
-- orders, pages and cuts. Amounts are millionths. Time is the time of the block, unix seconds.

-- How far the chain is booked. A transaction that writes facts or the ledger locks this row first, and
-- goes on only if it stands where the writer's last transaction left it.
create table chain_state (
  is_only_row boolean primary key default true check (is_only_row),
  -- First block of the ledger, and the last block that is in it.
  ledger_from integer,
  block integer,
  block_hash bytea,
  block_time integer,
  -- The first block that was ever booked: a node that has another block in its place is of another chain.
  first_block integer,
  first_hash bytea,
  -- Facts of the big tables below this block were dropped by the retention; null: none were.
  kept_from integer,
  -- Moves when the ledger was rebuilt: every process then drops its cached rows.
  epoch integer not null default 0
);
insert into chain_state default values;

-- Ranges of blocks, both ends included, whose facts are here. Neighbours are one row.
create table coverage (
  from_block integer primary key,
  to_block integer not null check (to_block >= from_block)
);

-- Blocks that are read again (`auspex backfill --again`), up to `done_to` so far. The row goes when the
-- ledger has been rebuilt from what was read.
create table repair (
  is_only_row boolean primary key default true check (is_only_row),
  from_block integer not null,
  to_block integer not null,
  done_to integer not null
);

-- The blocks that have facts. Which other blocks were read depends on the batches, so they are not kept.
create table blocks (
  number integer primary key,
  time integer not null,
  hash bytea not null
);
create index blocks_time on blocks (time);

-- The blocks that a reorganisation may still take back, and the one below them.
create table recent_blocks (
  number integer primary key,
  time integer not null,
  hash bytea not null,
  parent_hash bytea not null
);

-- Natural ids of the chain and our integer ids for them. `since` is the seq of the fact that named the
-- id first: a reorganisation of that block removes the row.
create table wallets (
  id integer primary key,
  address bytea not null unique,
  since bigint not null
);
create index wallets_since on wallets using brin (since);
insert into wallets values (0, '\x0000000000000000000000000000000000000000', 0);

create table conditions (
  id integer primary key,
  condition bytea not null unique,
  since bigint not null
);
create index conditions_since on conditions using brin (since);

create table builders (
  id integer primary key,
  code bytea not null unique,
  since bigint not null
);
create index builders_since on builders using brin (since);

-- A token belongs to an outcome of a condition; null until a log states it. The first full set that a
-- log states has the outcomes: tokens of other sets (of another collateral) only share the condition.
create table tokens (
  id integer primary key,
  condition integer,
  -- The block of the first log that states the condition: the ledger books older facts without it.
  stated_in integer,
  outcome smallint,
  since bigint not null,
  token bytea not null unique
);
create index tokens_condition on tokens (condition);
create index tokens_since on tokens using brin (since);
create index tokens_stated_in on tokens using brin (stated_in);

-- Partitions of the tables below hold 2^18 blocks each and are made when the first row needs them;
-- their other indexes are built when they are full, or when the head is reached.
-- See src/chain/write/partitions.ts.
create table partitions (
  name text primary key,
  parent text not null,
  number integer not null,
  is_indexed boolean not null
);

-- flags: 1 sell, 2 taker, 4 fee in shares, 8 neg-risk; generation * 16; 128 combo.
create table fills (
  seq bigint not null primary key,
  usd bigint not null,
  shares bigint not null,
  fee bigint not null,
  wallet integer not null,
  taker integer not null,
  exchange integer not null,
  token integer not null,
  builder integer,
  flags smallint not null,
  order_hash bytea not null,
  tx_hash bytea not null,
  metadata bytea
) partition by range (seq);

-- flags: 1 merge, 2 core, 4 user. tx_hash null: the split is part of a match, whose fills have the
-- hash. tokens null: the set of the condition.
create table splits (
  seq bigint not null primary key,
  amount bigint not null,
  wallet integer not null,
  condition integer not null,
  flags smallint not null,
  tx_hash bytea,
  tokens integer[]
) partition by range (seq);

-- flags: 2 core, 4 user, 8 by the auto-redeemer; 16 * the bits of the outcomes that were named (1, 2).
create table redemptions (
  seq bigint not null primary key,
  payout bigint not null,
  wallet integer not null,
  condition integer not null,
  flags smallint not null,
  tokens integer[] not null,
  amounts bigint[] not null,
  tx_hash bytea not null
) partition by range (seq);

create table conversions (
  seq bigint not null primary key,
  amount bigint not null,
  received bigint not null,
  cash bigint not null,
  wallet integer not null,
  market bytea not null,
  index_set bytea not null,
  given integer[] not null,
  taken integer[] not null,
  tx_hash bytea not null
);
create index conversions_wallet on conversions (wallet, seq);

create table migrations (
  seq bigint not null primary key,
  amount bigint not null,
  wallet integer not null,
  from_token integer not null,
  to_token integer not null,
  tx_hash bytea not null
);
create index migrations_wallet on migrations (wallet, seq);

create table transfers (
  seq bigint not null,
  amount bigint not null,
  from_wallet integer not null,
  to_wallet integer not null,
  token integer not null,
  sub smallint not null,
  is_internal boolean not null,
  bears_cost boolean not null,
  tx_hash bytea not null,
  primary key (seq, sub)
) partition by range (seq);

-- Tokens minted and burned in each block, by the transfer logs alone.
create table supply_changes (
  block integer not null,
  token integer not null,
  minted bigint not null,
  burned bigint not null,
  primary key (block, token)
);

-- kind: 0 charged, 1 refunded, 2 withdrawn. token null: money.
create table fees (
  seq bigint not null primary key,
  amount bigint not null,
  wallet integer not null,
  token integer,
  kind smallint not null,
  tx_hash bytea not null
) partition by range (seq);

-- kind: 0 deposit, 1 withdrawal, 2 transfer, 3 perps deposit, 4 perps withdrawal. ramp: the contract
-- that wrapped or unwrapped; null for all other kinds.
create table flows (
  seq bigint not null primary key,
  amount bigint not null,
  from_wallet integer not null,
  to_wallet integer not null,
  asset integer not null,
  ramp integer,
  kind smallint not null,
  tx_hash bytea not null
) partition by range (seq);

create table preparations (
  seq bigint not null primary key,
  condition integer not null,
  oracle integer not null,
  outcomes integer not null,
  question bytea not null,
  tx_hash bytea not null
);
create index preparations_condition on preparations (condition);
create index preparations_question on preparations (question);

create table resolutions (
  seq bigint not null primary key,
  condition integer not null,
  payouts numeric[] not null,
  tx_hash bytea not null
);
create index resolutions_condition on resolutions (condition, seq);

create table oracle_events (
  seq bigint not null primary key,
  kind text not null,
  contract integer not null,
  question bytea,
  request_time bigint,
  actor integer,
  proposer integer,
  price numeric,
  payouts numeric[],
  expiration bigint,
  tx_hash bytea not null
);
create index oracle_events_question on oracle_events (question, seq);

create table neg_risk_markets (
  seq bigint not null primary key,
  oracle integer not null,
  fee_bips integer not null,
  market bytea not null,
  tx_hash bytea not null
);
create index neg_risk_markets_market on neg_risk_markets (market);

create table neg_risk_questions (
  seq bigint not null primary key,
  index smallint not null,
  market bytea not null,
  question bytea not null,
  tx_hash bytea not null
);
create index neg_risk_questions_market on neg_risk_questions (market, index);

-- legs: structured token ids, 32 bytes each, one after the other.
create table combos (
  seq bigint not null primary key,
  condition integer not null,
  legs bytea not null,
  tx_hash bytea not null
);
create index combos_condition on combos (condition);

create table combo_events (
  seq bigint not null primary key,
  amount bigint not null,
  payout bigint,
  wallet integer not null,
  contract integer not null,
  condition integer,
  kind text not null,
  tokens integer[] not null,
  tx_hash bytea not null
);
create index combo_events_wallet on combo_events (wallet, seq);

create table wallet_owners (
  seq bigint not null primary key,
  wallet integer not null,
  owner integer not null,
  kind text not null
);
create index wallet_owners_wallet on wallet_owners (wallet);
create index wallet_owners_owner on wallet_owners (owner);

-- Logs without a table of their own; kind 'unknown': the decoder has no such event.
create table raw_logs (
  seq bigint not null primary key,
  contract integer not null,
  kind text not null,
  topics bytea[] not null,
  data bytea not null,
  tx_hash bytea not null
);
create index raw_logs_kind on raw_logs (kind, seq);

-- Logs that could not be booked. A log may be there more than once, for different reasons.
create table quarantine (
  seq bigint not null,
  reason text not null,
  detail text not null,
  contract bytea not null,
  topics text not null,
  data text not null,
  tx_hash bytea not null,
  primary key (seq, reason)
);

-- The ledger: state that the facts above add up to, moved in the transaction that writes them.
-- The indexes that readers of `positions` need are built when the head is reached.
-- See src/chain/write/read-indexes.ts.
create table positions (
  wallet integer not null,
  token integer not null,
  first_sec integer not null,
  last_sec integer not null,
  filled_sec integer not null,
  is_combo integer not null,
  balance bigint not null,
  held bigint not null,
  cost bigint not null,
  realized bigint not null,
  bought bigint not null,
  bought_cost bigint not null,
  fees bigint not null,
  primary key (wallet, token)
) with (fillfactor = 80);
create index positions_token on positions (token);

-- cause: 0 sell, 1 merge, 2 redemption, 3 conversion.
create table pnl (
  seq bigint not null,
  amount bigint not null,
  wallet integer not null,
  token integer not null,
  sub smallint not null,
  cause smallint not null,
  primary key (seq, sub)
) partition by range (seq);

-- Of all positions that are not in combos. profit and loss: sums over the positions that realized
-- more and less than nothing. The four below are a `seq`, 0 for none.
create table wallet_totals (
  wallet integer primary key,
  positions integer not null,
  wins integer not null,
  losses integer not null,
  fills integer not null,
  fee_fills integer not null,
  realized bigint not null,
  profit bigint not null,
  loss bigint not null,
  bought bigint not null,
  volume bigint not null,
  fees bigint not null,
  first_fill bigint not null,
  last_fill bigint not null,
  first_fee bigint not null,
  last_fee bigint not null
) with (fillfactor = 70);

-- Of all positions in combos.
create table combo_totals (like wallet_totals including all) with (fillfactor = 70);

-- Fills of taking orders: each match counts once. minute and hour: unix time / 60 and / 3600. Prices
-- are millionths of a dollar for a share; 0 when no fill had shares.
create table minute_candles (
  token integer not null,
  minute integer not null,
  trades integer not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  first_seq bigint not null,
  last_seq bigint not null,
  volume bigint not null,
  shares bigint not null,
  buy_volume bigint not null,
  fees bigint not null,
  primary key (token, minute)
) with (fillfactor = 90);

create table hour_candles (
  token integer not null,
  hour integer not null,
  trades integer not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  first_seq bigint not null,
  last_seq bigint not null,
  volume bigint not null,
  shares bigint not null,
  buy_volume bigint not null,
  fees bigint not null,
  primary key (token, hour)
) with (fillfactor = 80);

create table token_totals (
  token integer primary key,
  trades integer not null,
  first_seq bigint not null,
  last_seq bigint not null,
  volume bigint not null,
  shares bigint not null,
  buy_volume bigint not null,
  fees bigint not null
) with (fillfactor = 70);

-- Fills whose orders name a builder, of makers and takers, without combos.
create table builder_totals (
  builder integer primary key,
  fills integer not null,
  wallets integer not null,
  first_seq bigint not null,
  last_seq bigint not null,
  buy_shares bigint not null,
  sell_shares bigint not null,
  buy_usd bigint not null,
  sell_usd bigint not null,
  fees bigint not null
) with (fillfactor = 70);

-- day: unix time / 86400. wallets: with a fill on that day; new_wallets: with their first one.
create table builder_days (
  builder integer not null,
  day integer not null,
  fills integer not null,
  wallets integer not null,
  new_wallets integer not null,
  buy_shares bigint not null,
  sell_shares bigint not null,
  fees bigint not null,
  primary key (builder, day)
) with (fillfactor = 80);

create table builder_wallets (
  builder integer not null,
  wallet integer not null,
  fills integer not null,
  active_days integer not null,
  first_sec integer not null,
  last_sec integer not null,
  buy_shares bigint not null,
  sell_shares bigint not null,
  fees bigint not null,
  primary key (builder, wallet)
) with (fillfactor = 80);

create table supplies (
  token integer primary key,
  minted bigint not null,
  burned bigint not null
) with (fillfactor = 70);

create table reserves (
  condition integer primary key,
  redeemed_legs integer not null,
  paid_in bigint not null,
  paid_out bigint not null
) with (fillfactor = 70);

create table last_prices (
  token integer primary key,
  seq bigint not null,
  usd bigint not null,
  shares bigint not null
) with (fillfactor = 70);

-- Rows of the ledger as they were before a block near the head changed them; image null: there was
-- no row. `state` names the table. The writer deletes what is older than the reorganisation window.
create table undo (
  block integer not null,
  state text not null,
  key bigint[] not null,
  image bigint[],
  primary key (block, state, key)
);

-- The lowest block that the ledger can go back to: the journal has every block above it.
create table undo_floor (
  is_only_row boolean primary key default true check (is_only_row),
  block integer not null
);
insert into undo_floor (block) values (0);
