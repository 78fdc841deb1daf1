-- What all wallets add up to, for /v3/stats: a job sums it up, because no request may read all wallets.
create table chain_totals (
  is_only_row boolean primary key default true check (is_only_row),
  -- Of chain_state: when it moves, redemptions are counted again.
  epoch integer,
  -- Redemptions up to this block, which no reorganisation reaches, are counted once.
  final_block integer,
  final_redemptions bigint not null default 0,
  -- The block, its time and the last reorganisation that the sums speak of; null: they are not made yet.
  head_block integer,
  head_sec integer,
  rewind bigint not null default 0,
  redemptions bigint not null default 0,
  -- Sums over wallet_totals.
  wallets bigint not null default 0,
  fills bigint not null default 0,
  positions bigint not null default 0,
  realized bigint not null default 0,
  profit bigint not null default 0,
  loss bigint not null default 0,
  bought bigint not null default 0
);
insert into chain_totals default values;

-- Combo redemptions of all wallets are read kind by kind, those of a position by the positions that a log names, and those
-- of a transaction by the first bytes of its hash.
create index combo_events_kind on combo_events (kind, seq);
create index combo_events_tx_prefix on combo_events (substring(tx_hash from 1 for 6));
create index combo_events_tokens on combo_events using gin (tokens);

-- What happened in combos on each UTC day. day: unix time / 86400. What a reorganisation may revert stands in rows of its
-- own (is_final false), which every refresh makes again.
create table combo_days (
  day integer not null,
  is_final boolean not null,
  buy_fills bigint not null,
  sell_fills bigint not null,
  buy_shares bigint not null,
  sell_shares bigint not null,
  lifecycle bigint not null,
  prepares bigint not null,
  prepared bigint not null,
  splits bigint not null,
  merges bigint not null,
  redeems bigint not null,
  transfers bigint not null,
  full_redemptions bigint not null,
  partial_redemptions bigint not null,
  transformations bigint not null,
  primary key (day, is_final)
);

-- Up to where combo_days goes; null: it is not made yet.
create table combo_days_state (
  is_only_row boolean primary key default true check (is_only_row),
  -- Of chain_state: when it moves, the days are counted again.
  epoch integer,
  -- The first block that is counted, and its time.
  from_sec integer,
  final_block integer,
  head_block integer,
  head_sec integer,
  rewind bigint not null default 0
);
insert into combo_days_state default values;
