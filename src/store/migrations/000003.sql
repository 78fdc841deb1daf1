-- The copy of Gamma's catalogue of markets. Ids are Gamma's own. Only what answers need is kept, not
-- Gamma's whole objects: for 1.3 million markets these take five times the room, and can be read again.
create table series (
  id integer primary key,
  active boolean not null,
  closed boolean not null,
  slug text,
  title text,
  recurrence text,
  image text,
  created_at timestamptz
);
create index series_slug on series (slug);

create table tags (
  id integer primary key,
  slug text,
  label text
);
create index tags_slug on tags (slug);

-- first_seen and gone_at are ours; every other time is Gamma's.
create table events (
  id integer primary key,
  series integer,
  first_seen timestamptz not null,
  -- When Gamma stopped to list it; null: Gamma lists it.
  gone_at timestamptz,
  active boolean not null,
  closed boolean not null,
  archived boolean not null,
  neg_risk boolean not null,
  live boolean,
  ended boolean,
  start_at timestamptz,
  -- When the game or the window begins; start_at is when trading did.
  starts_at timestamptz,
  end_at timestamptz,
  closed_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  event_date date,
  volume numeric,
  volume_24h numeric,
  liquidity numeric,
  open_interest numeric,
  -- Of an up-or-down window, once it is over.
  price_to_beat numeric,
  final_price numeric,
  slug text,
  title text,
  category text,
  image text,
  -- null: the image.
  icon text,
  game_id text,
  score text,
  period text,
  elapsed text,
  neg_risk_market bytea
);
create index events_slug on events (slug);
create index events_series on events (series);
create index events_open on events (id) where not closed;

-- In Gamma's order: the first tag is the category of the event's markets.
create table event_tags (
  event integer not null,
  tag integer not null,
  place smallint not null,
  primary key (event, tag)
);
create index event_tags_tag on event_tags (tag, event);

create table markets (
  id integer primary key,
  event integer,
  taker_base_fee integer,
  first_seen timestamptz not null,
  active boolean not null,
  closed boolean not null,
  archived boolean not null,
  neg_risk boolean not null,
  accepting_orders boolean not null,
  enable_order_book boolean not null,
  start_at timestamptz,
  -- When the game or the window begins; start_at is when trading did.
  starts_at timestamptz,
  end_at timestamptz,
  closed_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  volume numeric,
  volume_24h numeric,
  liquidity numeric,
  tick_size numeric,
  order_size_min numeric,
  fee_rate numeric,
  line numeric,
  condition bytea,
  question_id bytea,
  slug text,
  question text,
  group_title text,
  category text,
  image text,
  -- null: the image.
  icon text,
  oracle_status text,
  sports_type text,
  game_id text,
  -- By outcome, all three.
  outcomes text[] not null,
  outcome_prices numeric[],
  tokens bytea[] not null
) with (fillfactor = 90);
create index markets_event on markets (event);
create index markets_condition on markets (condition);
create index markets_slug on markets (slug);
create index markets_open on markets (id) where not closed;

-- The way from a token to its market: what `tokens` of the market says.
create table market_tokens (
  token bytea primary key,
  market integer not null,
  outcome smallint not null
);

-- How far the copy goes.
create table catalogue_state (
  is_only_row boolean primary key default true check (is_only_row),
  -- The first reading: open events, closed events, then done. `cursor` is where it goes on.
  phase text not null default 'open' check (phase in ('open', 'closed', 'done')),
  cursor text,
  events integer not null default 0,
  markets integer not null default 0,
  -- Entries with a field that could not be kept, or that could not be kept at all.
  odd integer not null default 0,
  -- Gamma's times: everything that was created or closed by then is here.
  created_until timestamptz,
  closed_until timestamptz,
  synced_at timestamptz
);
insert into catalogue_state default values;

-- Midpoints of the books in millionths; null: the token has no book.
create table token_mids (
  token bytea primary key,
  mid integer,
  read_at timestamptz not null
) with (fillfactor = 80);

-- The last result of each condition. On the chain there is only one.
create view results as
select r.condition, r.payouts, r.seq
  from resolutions r
 where not exists (
   select from resolutions later where later.condition = r.condition and later.seq > r.seq
 );

-- What a token is worth: numerator / denominator, by the best source there is. `seq` is the fact that
-- says so, `read_at` the time of a midpoint. A token without any source is worth nothing so far.
create view token_prices as
select t.id as token,
       case when settled.seq is not null then 'settlement'
            when book.mid is not null then 'clob_mid'
            when stated.seq is not null then 'v1_condition'
            when fill.seq is not null then 'last_fill' end as source,
       case when settled.seq is not null then settled.payouts[t.outcome + 1]
            when book.mid is not null then book.mid
            when stated.seq is not null then stated.payouts[stated.outcome + 1]
            when fill.seq is not null then fill.usd
            else 0 end as numerator,
       case when settled.seq is not null
              then (select sum(payout) from unnest(settled.payouts) payout)
            when book.mid is not null then 1000000
            when stated.seq is not null then (select sum(payout) from unnest(stated.payouts) payout)
            when fill.seq is not null then fill.shares
            else 1 end as denominator,
       case when settled.seq is not null then settled.seq
            when book.mid is not null then null
            else coalesce(stated.seq, fill.seq) end as seq,
       case when settled.seq is null and book.mid is not null then book.read_at end as read_at
  from tokens t
  left join results settled
    on settled.condition = t.condition and t.outcome < cardinality(settled.payouts)
  left join token_mids book on book.token = t.token
  -- The catalogue may state the condition and outcome of a token before a log does.
  left join (
    select mt.token, mt.outcome, r.payouts, r.seq
      from market_tokens mt
      join markets m on m.id = mt.market
      join conditions c on c.condition = m.condition
      join results r on r.condition = c.id and mt.outcome < cardinality(r.payouts)
  ) stated on stated.token = t.token and t.condition is null
  left join last_prices fill on fill.token = t.id and fill.shares > 0;
