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
 ) leg
  left join conditions k on k.condition = substring(leg.token for 31) || '\x00'
  left join results stored
    on stored.condition = k.id and leg.outcome < cardinality(stored.payouts)
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
