-- What this database is filled from. A service that reads something else refuses the database, because
-- its rows would mix with those that are here.
create table dataset (
  is_only_row boolean primary key default true check (is_only_row),
  -- AUSPEX_DATASET of the service that started on the empty database.
  name text not null,
  chain_id integer not null
);

-- Accounts own keys. What a plan grants is in src/accounts/plans.ts.
create table accounts (
  id integer generated always as identity primary key,
  name text not null,
  plan text not null check (plan in ('free', 'starter', 'growth', 'pro', 'enterprise')),
  created_at timestamptz not null
);

-- Only the hash of a key is kept; the hint (its last characters) tells keys apart in lists.
create table api_keys (
  id integer generated always as identity primary key,
  account_id integer not null references accounts,
  name text not null,
  secret_sha256 bytea not null unique,
  hint text not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index api_keys_account on api_keys (account_id);

-- The last free key that each network was given: one IPv4 address, or one IPv6 /64.
create table key_grants (
  network cidr primary key,
  granted_at timestamptz not null
);
create index key_grants_granted_at on key_grants (granted_at);

-- Processes keep the keys they have seen in memory. This number moves whenever a key or an account
-- changes, and a process that sees it move drops what it has cached. New rows do not move it: no
-- process can have cached a key that did not exist.
create table accounts_revision (
  is_only_row boolean primary key default true check (is_only_row),
  revision bigint not null
);
insert into accounts_revision (revision) values (0);

create function move_accounts_revision() returns trigger language plpgsql as $$
begin
  update accounts_revision set revision = revision + 1;
  return null;
end $$;
create trigger accounts_changed after update or delete on accounts
  for each statement execute function move_accounts_revision();
create trigger api_keys_changed after update or delete on api_keys
  for each statement execute function move_accounts_revision();

-- What each account used in each UTC month.
create table usage (
  account_id integer not null references accounts,
  month date not null,
  meter text not null,
  used bigint not null,
  primary key (account_id, month, meter)
);

-- The last batch that each process wrote: a batch whose acknowledgement was lost is not added twice.
create table usage_writers (
  writer uuid primary key,
  batch bigint not null,
  written_at timestamptz not null
);

-- Keys for what the service signs for itself, the same in all processes. Made here, never shown.
create table signing_keys (
  use text primary key,
  key bytea not null default decode(
    replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
);
insert into signing_keys (use) values ('cursors');
