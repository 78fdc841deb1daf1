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
