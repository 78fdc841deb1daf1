-- The operator's file may name plans of its own: what a plan grants is in src/accounts/plans.ts and AUSPEX_PLANS.
alter table accounts drop constraint accounts_plan_check;

-- A suspended account keeps everything, and its keys are refused. Of a deleted one only this row and what it used
-- are left, without names.
alter table accounts
  add column suspended_at timestamptz,
  add column suspended_reason text,
  add column deleted_at timestamptz;

-- `read`: the key may not change anything. `last_used_at` is at most two minutes old.
alter table api_keys
  add column scope text not null default 'full' check (scope in ('full', 'read')),
  add column expires_at timestamptz,
  add column last_used_at timestamptz;

-- Only what decides whether and how a key works makes processes forget the keys that they have seen.
drop trigger accounts_changed on accounts;
create trigger accounts_changed after update of plan, suspended_at, deleted_at or delete on accounts
  for each statement execute function move_accounts_revision();
drop trigger api_keys_changed on api_keys;
create trigger api_keys_changed after update of secret_sha256, revoked_at, scope, expires_at or delete on api_keys
  for each statement execute function move_accounts_revision();

-- What each key used on each UTC day, by family of routes (the tag in the API's description) or of sockets. Without
-- a reference to keys: the counts outlive them. Deleted after some months; the months of `usage` stay.
create table usage_days (
  account_id integer not null references accounts,
  day date not null,
  key_id integer not null,
  family text not null,
  requests bigint not null,
  bytes bigint not null,
  primary key (account_id, day, key_id, family)
);
create index usage_days_day on usage_days (day);

-- Keys of the people who run the service, for /v1/admin. They open no other route, and have no account.
create table operator_keys (
  id integer generated always as identity primary key,
  name text not null,
  secret_sha256 bytea not null unique,
  hint text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
