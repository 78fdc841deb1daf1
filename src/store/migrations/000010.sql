-- copy-pnl: what it would have earned to copy wallets. Every key has a pool of wallets; a wallet is scored once,
-- however many pools have it. Wallets are addresses, because the chain need not have named them yet, and a
-- reorganisation may give integer ids away again.

create table copy_pools (
  key_id integer not null references api_keys,
  wallet bytea not null,
  primary key (key_id, wallet)
);
create index copy_pools_wallet on copy_pools (wallet);

-- The wallets that are scored, and the queue of that work; see src/copy-pnl/scorer.ts for the states.
create table copy_wallets (
  wallet bytea primary key,
  -- When it is to be scored next; while a process scores it, when its lease ends.
  next_at timestamptz not null,
  is_leased boolean not null default false,
  -- The end of the last walk that succeeded.
  scored_at timestamptz,
  -- Why the last walk failed, and when; null: it did not.
  error text,
  error_at timestamptz,
  -- Since when no pool has it; null: one does. The scores stay for a day.
  dropped_at timestamptz
) with (fillfactor = 80);
create index copy_wallets_next_at on copy_wallets (next_at) where dropped_at is null;
create index copy_wallets_dropped_at on copy_wallets (dropped_at) where dropped_at is not null;

-- The last days, up to the end of the walk. Money is cents, rate hundredths of a percent; null: there is none.
create table copy_scores (
  wallet bytea not null references copy_wallets on delete cascade,
  days smallint not null,
  actual bigint not null,
  backtest bigint not null,
  slippage bigint not null,
  rate bigint,
  trades integer not null,
  is_partial boolean not null,
  computed_at timestamptz not null,
  primary key (wallet, days)
) with (fillfactor = 80);
