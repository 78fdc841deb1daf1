-- The last reorganisation that each snapshot of chain facts has seen (`rewinds.id`), as `board_state.rewind`: what it has
-- of blocks that later ones reverted is left out of answers until the snapshot is refreshed; see src/lookups/snapshot.ts.
alter table stats_snapshots add column rewind bigint not null default 0;

alter table builder_board_state
  add column block integer,
  add column rewind bigint not null default 0;

alter table combo_state
  add column rewind bigint not null default 0,
  add column ranked_rewind bigint not null default 0;

-- Of the last walk that succeeded: the last block that it counted, and the last reorganisation before it.
alter table copy_wallets
  add column block integer,
  add column rewind bigint not null default 0;
