-- Leaderboards. A board ranks wallets within a scope: all markets, a category (the first tag of a market) or a
-- tag. A job brings all boards up to date in one transaction, by adding what is new and taking away what has left;
-- see src/leaderboards/refresh/.

-- Where the boards stand: after this block, for this state of the ledger. `snapshot` moves with every refresh, and a
-- cursor names the snapshot that it goes on with. block null: they are not made yet.
create table board_state (
  is_only_row boolean primary key default true check (is_only_row),
  snapshot integer not null default 0,
  epoch integer,
  block integer,
  -- The moment that the boards speak of.
  block_time integer,
  -- The last reorganisation that they have seen: `rewinds.id`.
  rewind bigint not null default 0,
  -- When prices were last looked at, and the token that a look goes on behind; null: none is under way.
  priced_at timestamptz,
  priced_token integer
);
insert into board_state default values;

-- sum() of bigint gives numeric, which takes twice the time. This one fails beyond bigint.
create aggregate sum_bigint (bigint) (sfunc = int8pl, stype = bigint, initcond = 0);

-- Ids of scopes. 0 is all markets; every other one is a slug of the catalogue.
create table board_scopes (
  id integer primary key,
  kind text not null check (kind in ('all', 'category', 'tag')),
  value text not null,
  unique (kind, value)
);
insert into board_scopes values (0, 'all', '');

-- The scopes that a token counts in, as the boards have it: of tokens with a position. Combos count in none.
-- numerator / denominator: the price that all its positions are valued at there; null: not read yet. settled: the
-- log with the result that the price comes from; null: the price may change.
create table board_tokens (
  token integer primary key,
  scopes integer[] not null,
  numerator numeric,
  denominator numeric,
  settled bigint
);
create index board_tokens_settled on board_tokens (settled) where settled is not null;
create index board_tokens_unsettled on board_tokens (token) where settled is null;

-- What wallets realized in the last days, 1, 7 or 30: sums over the rows of `pnl` in (block_time - days, block_time]
-- whose amount is not 0. A wallet without such a row has no row here.
create table rolling_boards (
  days smallint not null,
  scope integer not null,
  wallet integer not null,
  wins integer not null,
  losses integer not null,
  realized bigint not null,
  profit bigint not null,
  loss bigint not null,
  primary key (days, scope, wallet)
) with (fillfactor = 80);
create index rolling_boards_realized on rolling_boards (days, scope, realized, wallet);

-- How many wallets each board of the last days has, and the first `seq` that counts.
create table rolling_scopes (
  days smallint not null,
  scope integer not null,
  wallets integer not null,
  primary key (days, scope)
);
create table rolling_windows (
  days smallint primary key,
  first_seq bigint not null
);

-- What each listed position adds to the boards of all time, as they have it.
create table board_positions (
  wallet integer not null,
  token integer not null,
  realized bigint not null,
  unrealized bigint not null,
  bought bigint not null,
  is_open boolean not null,
  primary key (wallet, token)
) with (fillfactor = 80);
create index board_positions_token on board_positions (token, is_open);

-- Sums over the listed positions of a wallet within a scope. profit and loss: over the positions whose P&L, the
-- unrealized part included, is more and less than nothing; gained and lost: the same of what is realized.
create table all_time_boards (
  scope integer not null,
  wallet integer not null,
  positions integer not null,
  open_positions integer not null,
  wins integer not null,
  losses integer not null,
  realized bigint not null,
  unrealized bigint not null,
  total bigint not null,
  profit bigint not null,
  loss bigint not null,
  gained bigint not null,
  lost bigint not null,
  bought bigint not null,
  primary key (scope, wallet)
) with (fillfactor = 80);
create index all_time_boards_total on all_time_boards (scope, total, wallet);
create index all_time_boards_realized on all_time_boards (scope, realized, wallet);
create index all_time_boards_unrealized on all_time_boards (scope, unrealized, wallet);
create index all_time_boards_profit on all_time_boards (scope, profit, wallet);
create index all_time_boards_loss on all_time_boards (scope, loss, wallet);
create index all_time_boards_gained on all_time_boards (scope, gained, wallet);
create index all_time_boards_lost on all_time_boards (scope, lost, wallet);
create index all_time_boards_bought on all_time_boards (scope, bought, wallet);
create index all_time_boards_wins on all_time_boards (scope, wins, wallet);
create index all_time_boards_positions on all_time_boards (scope, positions, wallet);

-- What reorganisations took out of the ledger, until the boards have taken it away too. Written in the transaction
-- that takes the blocks back; `rewind` is its row of `rewinds`.
create table rewound_pnl (
  rewind bigint not null,
  seq bigint not null,
  sub smallint not null,
  amount bigint not null,
  wallet integer not null,
  token integer not null,
  primary key (rewind, seq, sub)
);
create table rewound_positions (
  rewind bigint not null,
  wallet integer not null,
  token integer not null,
  primary key (rewind, wallet, token)
);

-- Markets whose tags or tokens have changed in the catalogue, until the boards have counted them anew. A market may
-- be there more than once: a refresh deletes the rows that it sees, and no writer of the catalogue waits for it.
create table retagged_markets (
  market integer not null
);

create function note_retagged_events() returns trigger language plpgsql as $$
begin
  insert into retagged_markets
  select m.id
    from (select distinct event from changed) changed
    join markets m on m.event = changed.event;
  return null;
end $$;
create trigger event_tags_added after insert on event_tags referencing new table as changed
  for each statement execute function note_retagged_events();
create trigger event_tags_moved after update on event_tags referencing new table as changed
  for each statement execute function note_retagged_events();
create trigger event_tags_removed after delete on event_tags referencing old table as changed
  for each statement execute function note_retagged_events();

create function note_moved_tokens() returns trigger language plpgsql as $$
begin
  insert into retagged_markets select distinct market from changed;
  return null;
end $$;
create trigger market_tokens_added after insert on market_tokens referencing new table as changed
  for each statement execute function note_moved_tokens();
create trigger market_tokens_moved after update on market_tokens referencing new table as changed
  for each statement execute function note_moved_tokens();

create function note_moved_markets() returns trigger language plpgsql as $$
begin
  insert into retagged_markets
  select changed.id
    from changed
    join earlier on earlier.id = changed.id
   where earlier.event is distinct from changed.event;
  return null;
end $$;
create trigger markets_moved after update on markets
  referencing old table as earlier new table as changed
  for each statement execute function note_moved_markets();

create function note_renamed_tags() returns trigger language plpgsql as $$
begin
  insert into retagged_markets
  select distinct m.id
    from changed
    join earlier on earlier.id = changed.id
    join event_tags et on et.tag = changed.id
    join markets m on m.event = et.event
   where (earlier.slug, earlier.label) is distinct from (changed.slug, changed.label);
  return null;
end $$;
create trigger tags_renamed after update on tags
  referencing old table as earlier new table as changed
  for each statement execute function note_renamed_tags();
