-- Browsers that are signed in: their cookie stands for an API key until the session ends. Only the hash of the cookie
-- is kept.
create table web_sessions (
  token_sha256 bytea primary key,
  key_id integer not null references api_keys,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index web_sessions_key on web_sessions (key_id, created_at);
create index web_sessions_expires_at on web_sessions (expires_at);

-- Moves when a session ends before its time. Apart from `revision`, so that a sign-out makes processes forget the
-- sessions that they have seen, and not all keys.
alter table accounts_revision add column sessions_revision bigint not null default 0;

-- Codes that sign a browser in, once. `expires_at` is by the clock of the database: commands make codes, and services
-- take them.
create table sign_in_codes (
  code_sha256 bytea primary key,
  -- The key that the session will stand for; null: the code makes an account with its first key.
  key_id integer references api_keys,
  expires_at timestamptz not null
);

-- What each account used on each UTC day by operation of the API (`operationId` of its description) or by meter of
-- sockets. `refused`: by a limit; `failed`: by a fault of the service. Neither is in `requests`.
create table usage_operations (
  account_id integer not null references accounts,
  day date not null,
  operation text not null,
  requests bigint not null,
  bytes bigint not null,
  refused bigint not null,
  failed bigint not null,
  primary key (account_id, day, operation)
);
create index usage_operations_day on usage_operations (day);
