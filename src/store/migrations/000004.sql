-- Prices of coins: one a second of each stream, which is a coin, a kind of price and a source, numbered
-- in src/prices/streams.ts. A tick is written into live_ticks; when its five minutes are over, it moves
-- into a block.
create table live_ticks (
  stream smallint not null,
  sec integer not null,
  price float8 not null,
  -- null: the source has no bid and ask.
  bid float8,
  ask float8,
  primary key (stream, sec)
);

-- Five minutes of a stream; `block` is Unix seconds / 300. `columns` has 300 prices, then 300 bids and
-- 300 asks where the source has them: eight bytes each, little-endian, NaN where a second is missing.
-- A second takes 8 or 24 bytes this way instead of 100, and a day is read with 288 rows. A partition
-- is a calendar month: `alter table tick_blocks detach partition tick_blocks_2026_01` takes one out.
create table tick_blocks (
  stream smallint not null,
  block integer not null,
  columns bytea not null,
  primary key (stream, block)
) partition by range (block);
-- Prices do not compress, and a block fits into a page: it stays in its row.
alter table tick_blocks alter column columns set storage plain;

-- How many seconds of each hour are in blocks.
create table tick_hours (
  stream smallint not null,
  hour integer not null,
  seconds smallint not null,
  primary key (stream, hour)
);

-- Times for which a source lacks ticks that it will not send any more. The ends are the last tick before
-- and the first one after, or the first and the last second that is missing.
create table tick_gaps (
  upstream text not null,
  -- null: all streams of the upstream.
  stream smallint,
  from_sec integer not null,
  to_sec integer not null,
  reason text not null
);
create index tick_gaps_to_sec on tick_gaps (to_sec);
-- Every process that collects prices writes the gaps that it sees.
create unique index tick_gaps_once on tick_gaps (upstream, stream, from_sec, to_sec)
  nulls not distinct;

create table tick_state (
  is_only_row boolean primary key default true check (is_only_row),
  -- All ticks of blocks before this one have moved, except those that came late.
  packed_until integer not null default 0,
  -- Moves when a late tick changes one of those blocks: processes then drop the blocks that they have cached.
  revision integer not null default 0
);
insert into tick_state default values;
