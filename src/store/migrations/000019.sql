-- The public names of wallets that this service was asked about, for the search that answers while a person types: it
-- asks no upstream.
create table usernames (
  wallet bytea primary key,
  name text not null,
  -- When the platform last showed the name.
  seen_at timestamptz not null
);
-- By the beginning of a name, in order, and by any three letters of it.
create index usernames_name on usernames (lower(name) collate "C");
create index usernames_trigrams on usernames using gin (lower(name) gin_trgm_ops);
create index usernames_seen_at on usernames (seen_at);
