-- The copy of Gamma's catalogue of markets. Ids are Gamma's own. Only what answers need is kept, not
-- Gamma's whole objects: for 1.3 million markets these take five times the room, and can be read again.
create extension if not exists pg_trgm;

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
-- Callers may write a label or a slug in capitals or small letters, and `-` for a space.
create index tags_plain_slug on tags (lower(replace(slug, '-', ' ')));
create index tags_plain_label on tags (lower(replace(label, '-', ' ')));

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
  -- How many markets of it are stored.
  market_count integer,
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
create index events_inactive on events (id) where not active;
-- For each order of a list two indexes, because nearly all events are closed: one that wants open
-- events only would read the closed ones too. What has no value comes last in descending order.
create index events_open_volume on events ((coalesce(volume, 0)), id) where not closed;
create index events_open_liquidity on events ((coalesce(liquidity, 0)), id) where not closed;
create index events_open_markets on events ((coalesce(market_count, 0)), id) where not closed;
create index events_open_created on events ((coalesce(created_at, '-infinity')), id) where not closed;
create index events_open_end on events ((coalesce(end_at, '-infinity')), id) where not closed;
create index events_closed_volume on events ((coalesce(volume, 0)), id) where closed;
create index events_closed_liquidity on events ((coalesce(liquidity, 0)), id) where closed;
create index events_closed_markets on events ((coalesce(market_count, 0)), id) where closed;
create index events_closed_created on events ((coalesce(created_at, '-infinity')), id) where closed;
create index events_closed_end on events ((coalesce(end_at, '-infinity')), id) where closed;

-- In Gamma's order, from 0: the first tag is the category of the event's markets.
create table event_tags (
  event integer not null,
  tag integer not null,
  place smallint not null,
  primary key (event, tag)
);
create index event_tags_tag on event_tags (tag, event);
create index event_tags_first on event_tags (tag, event) where place = 0;

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
create index markets_inactive on markets (id) where not active;
-- As with the events.
create index markets_open_volume on markets ((coalesce(volume, 0)), id) where not closed;
create index markets_open_liquidity on markets ((coalesce(liquidity, 0)), id) where not closed;
create index markets_open_created on markets ((coalesce(created_at, '-infinity')), id)
  where not closed;
create index markets_open_end on markets ((coalesce(end_at, '-infinity')), id) where not closed;
create index markets_closed_volume on markets ((coalesce(volume, 0)), id) where closed;
create index markets_closed_liquidity on markets ((coalesce(liquidity, 0)), id) where closed;
create index markets_closed_created on markets ((coalesce(created_at, '-infinity')), id) where closed;
create index markets_closed_end on markets ((coalesce(end_at, '-infinity')), id) where closed;

-- What search reads: see src/catalogue/search-text.ts. Apart from the markets and events, because a
-- new volume would write the many entries of a row in a trigram index again. Here no index has the
-- volume, so a new one stays in its page.
create table market_texts (
  market integer primary key,
  volume numeric,
  text text not null
) with (fillfactor = 80);
alter table market_texts alter text set statistics 1000;
create index market_texts_trigrams on market_texts using gin (text gin_trgm_ops);

create table event_texts (
  event integer primary key,
  text text not null
);
alter table event_texts alter text set statistics 1000;
create index event_texts_trigrams on event_texts using gin (text gin_trgm_ops);

-- The words of all questions and titles, for words of a search that are misspelt.
create table search_words (
  word text collate "C" primary key
);
create index search_words_trigrams on search_words using gin (word gin_trgm_ops);

-- Words that share enough trigrams with a text to be what was meant, the most similar first.
create function similar_words(misspelt text, length_apart integer) returns setof text
  language sql stable set pg_trgm.similarity_threshold = 0.15
as $$
  select word
    from search_words
   where word % misspelt and abs(length(word) - length(misspelt)) <= length_apart
   order by similarity(word, misspelt) desc, word
   limit 200
$$;

-- How many markets and events have a tag, counted by a job.
create table tag_counts (
  slug text primary key,
  label text not null,
  markets integer not null,
  events integer not null,
  -- When the first and the last of the markets were created.
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index tag_counts_markets on tag_counts ((-markets), slug);

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

create aggregate product (numeric) (sfunc = numeric_mul, stype = numeric, initcond = '1');

-- The legs of each combo from place 0 on, and the result of each that has one: numerator / denominator,
-- by the log `seq`. When the rest of a neg-risk event is decided, one log stands for all its conditions.
create view combo_legs as
select c.condition as combo, leg.place, leg.token, leg.outcome, k.id as condition,
       coalesce(stored.seq, derived.seq) as seq,
       case when stored.seq is not null then stored.payouts[leg.outcome + 1]
            when derived.seq is not null then abs(derived.yes - leg.outcome) end as numerator,
       case when stored.seq is not null
              then (select sum(payout) from unnest(stored.payouts) payout)
            when derived.seq is not null then 1 end as denominator
  from combos c
 cross join lateral (
   select place, substring(c.legs from place * 32 + 1 for 32) as token,
          get_byte(c.legs, place * 32 + 31) as outcome
     from generate_series(0, length(c.legs) / 32 - 1) place
    -- The contract allows no more. The planner, which expects thousands, would read conditions whole.
    limit 50
 ) leg
  left join lateral (
    select id from conditions where condition = substring(leg.token for 31) || '\x00' limit 1
  ) k on true
  left join lateral (
    select r.payouts, r.seq
      from resolutions r
     where r.condition = k.id and leg.outcome < cardinality(r.payouts)
     order by r.seq desc
     limit 1
  ) stored on true
  left join lateral (
    select l.seq, (l.kind = 'syntheticConditionDerivableAsYes')::integer as yes
      from raw_logs l
     where stored.seq is null and get_byte(leg.token, 0) = 2
       and l.kind in ('remainingConditionsDerivableAsNo', 'syntheticConditionDerivableAsYes')
       and l.topics[2] = substring(leg.token for 29) || '\x000000'
       and (l.kind = 'remainingConditionsDerivableAsNo'
            or l.topics[3] = substring(leg.token for 31) || '\x00')
     order by yes desc, l.seq
     limit 1
  ) derived on true
 where not exists (
   select from combos earlier where earlier.condition = c.condition and earlier.seq < c.seq
 );

-- The combos with a result: what YES pays is numerator / denominator, and NO the rest. A leg that lost
-- decides at once; otherwise the last leg does, and YES pays the product of all.
create view combo_results as
select combo as condition,
       case when lost > 0 then 0 else product end as numerator,
       case when lost > 0 then 1 else total end as denominator,
       case when lost > 0 then lost_seq else last_seq end as seq
  from (
    select combo, count(*) as legs, count(seq) as decided,
           count(*) filter (where numerator = 0) as lost,
           min(seq) filter (where numerator = 0) as lost_seq,
           max(seq) as last_seq,
           product(numerator) as product, product(denominator) as total
      from combo_legs
     group by combo
  ) legs
 where lost > 0 or decided = legs.legs;

-- What a token is worth: numerator / denominator, by the best source there is. `seq` is the fact that
-- says so, `read_at` the time of a midpoint. A token without any source is worth nothing so far.
-- PostgreSQL reads the parts of `union all` in this order and stops at the first row: each is a lookup
-- by key, and most tokens need one. As joins they would be read whole for a few thousand tokens.
-- Columns of every part have names, because the rebuild of the ledger makes the view again from its text.
create view token_prices as
select t.id as token, price.source, price.numerator, price.denominator, price.seq, price.read_at
  from tokens t
 cross join lateral (
    (select 'settlement' as source,
            r.payouts[t.outcome + 1] as numerator,
            case cardinality(r.payouts) when 2 then r.payouts[1] + r.payouts[2]
                 else (select sum(payout) from unnest(r.payouts) payout) end as denominator,
            r.seq,
            null::timestamptz as read_at
       from resolutions r
      where r.condition = t.condition and t.outcome < cardinality(r.payouts)
      order by r.seq desc
      limit 1)
    union all
    select 'settlement' as source,
           case t.outcome when 0 then r.numerator else r.denominator - r.numerator end as numerator,
           r.denominator, r.seq, null as read_at
      from combo_results r
     where r.condition = t.condition and get_byte(t.token, 0) = 3
    union all
    select 'clob_mid' as source, mid as numerator, 1000000 as denominator, null as seq, read_at
      from token_mids
     where token = t.token and mid is not null
    union all
    -- The catalogue may state the condition and outcome of a token before a log does.
    (select 'v1_condition' as source,
            r.payouts[mt.outcome + 1] as numerator,
            (select sum(payout) from unnest(r.payouts) payout) as denominator,
            r.seq,
            null as read_at
       from market_tokens mt
       join markets m on m.id = mt.market
       join conditions c on c.condition = m.condition
       join resolutions r on r.condition = c.id and mt.outcome < cardinality(r.payouts)
      where mt.token = t.token and t.condition is null
      order by r.seq desc
      limit 1)
    union all
    select 'last_fill' as source, usd as numerator, shares as denominator, seq, null as read_at
      from last_prices
     where token = t.id and shares > 0
    union all
    select null as source, 0 as numerator, 1 as denominator, null as seq, null as read_at
    limit 1
  ) price;
