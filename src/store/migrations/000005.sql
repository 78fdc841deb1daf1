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
