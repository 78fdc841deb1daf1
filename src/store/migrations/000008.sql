-- Reorganisations that took blocks back, in their order: a reader of the tape by cursor goes back to the lowest
-- `to_block` that it has not seen yet. Written in the transaction that takes the blocks back.
create table rewinds (
  id bigint generated always as identity primary key,
  to_block integer not null
);

-- Markets that the catalogue has met since its first reading was over, until the matcher has announced them.
create table new_markets (
  market integer primary key
);

-- Which key encrypts secrets: written by the first process that needed one, so that a process with another key
-- notices. The key itself is never in the database; see src/store/secret-box.ts.
create table secret_key (
  is_only_row boolean primary key default true check (is_only_row),
  fingerprint bytea not null
);

-- What accounts asked to be notified of. `revision` moves with every change that the matcher has to know.
create table webhooks (
  id integer generated always as identity primary key,
  -- `wh_` and 12 hex digits.
  name text not null unique,
  account_id integer not null references accounts,
  url text not null,
  event_types text[] not null,
  filters jsonb not null,
  -- Encrypted with a key that is not in the database; see src/store/secret-box.ts.
  secret bytea not null,
  active boolean not null,
  description text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- It sees what is on the tape behind this place, and not long before this time: since it was made or activated.
  from_seq bigint not null,
  active_since timestamptz not null,
  -- Why the service itself has paused it.
  disabled_reason text,
  disabled_at timestamptz,
  -- Rows that a job has still to delete.
  deleted_at timestamptz,
  -- Of `auspex listen`: when its events were last asked for. null: events are sent to the url.
  polled_at timestamptz,
  revision bigint not null default 0
);
create index webhooks_account on webhooks (account_id, id) where deleted_at is null;
create index webhooks_by_revision on webhooks (revision);
create index webhooks_polled_at on webhooks (polled_at)
  where polled_at is not null and deleted_at is null;
create index webhooks_deleted on webhooks (id) where deleted_at is not null;

-- The lock on this row orders the changes: a reader that has seen a revision has seen all before it.
create table webhooks_revision (
  is_only_row boolean primary key default true check (is_only_row),
  revision bigint not null
);
insert into webhooks_revision (revision) values (0);

create function move_webhooks_revision() returns trigger language plpgsql as $$
begin
  update webhooks_revision set revision = revision + 1 returning revision into new.revision;
  return new;
end $$;
create trigger webhooks_added before insert on webhooks
  for each row execute function move_webhooks_revision();
create trigger webhooks_changed
  before update of event_types, filters, active, from_seq, active_since, deleted_at on webhooks
  for each row execute function move_webhooks_revision();

-- How far the matcher has read, and the last reorganisation that it has seen; null: it has not begun.
create table webhook_cursor (
  is_only_row boolean primary key default true check (is_only_row),
  seq bigint,
  rewind bigint not null default 0
);
insert into webhook_cursor default values;

-- The values that changes are measured against: of a webhook, an event type, a wallet and a token. No wallet: ''.
-- Natural ids, because a reorganisation may give integer ids away again.
create table webhook_bases (
  webhook integer not null references webhooks on delete cascade,
  event_type text not null,
  wallet bytea not null,
  token bytea not null,
  value bigint not null,
  primary key (webhook, event_type, wallet, token)
);

-- Orders with fills that a webhook may want to hear of as a whole, until no fill has come for a while.
create table webhook_orders (
  order_hash bytea primary key,
  first_seq bigint not null,
  due_at timestamptz not null
);
create index webhook_orders_due_at on webhook_orders (due_at);

-- Deliveries of each account on each UTC day.
create table webhook_days (
  account_id integer not null references accounts,
  day date not null,
  deliveries bigint not null,
  primary key (account_id, day)
);

-- When the dispatcher has to look at a webhook's deliveries again, and how its receiver does. null: nothing waits.
create table webhook_lanes (
  webhook integer primary key references webhooks on delete cascade,
  next_at timestamptz,
  -- Events that were given up since the last success, and since when there was none.
  consecutive_failures integer not null default 0,
  failing_since timestamptz,
  -- Whether its last attempt succeeded, and in good time.
  is_healthy boolean not null default true,
  -- When a refused event was last written into the history because the day's deliveries are used up.
  limit_noted_at timestamptz
);
create index webhook_lanes_next_at on webhook_lanes (next_at);

-- One event to one webhook; see src/webhooks/deliver/ for the states. The row also remembers for seven days that
-- the event was announced: a transaction that returns in another block is not announced again.
create table webhook_deliveries (
  webhook integer not null references webhooks on delete cascade,
  event_id uuid not null,
  event_type text not null,
  state text not null check (state in ('held', 'pending', 'delivered', 'failed', 'cancelled')),
  -- Of the fact that it is about.
  block integer not null,
  -- Held until the head of the chain is here.
  release_block integer,
  attempts smallint not null default 0,
  -- When the next attempt is due; while one runs, when its lease ends.
  due_at timestamptz,
  is_leased boolean not null default false,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- What is sent, the same bytes in every attempt.
  body text not null,
  primary key (webhook, event_id)
) with (fillfactor = 80);
create index webhook_deliveries_due on webhook_deliveries (webhook, due_at)
  where state = 'pending' and not is_leased;
-- At most ten of a webhook.
create index webhook_deliveries_leased on webhook_deliveries (webhook, due_at) where is_leased;
create index webhook_deliveries_held on webhook_deliveries (release_block) where state = 'held';
create index webhook_deliveries_failed on webhook_deliveries (webhook, finished_at)
  where state = 'failed';
create index webhook_deliveries_finished_at on webhook_deliveries (finished_at)
  where finished_at is not null;

-- The history: every attempt is a row.
create table webhook_attempts (
  id bigint generated always as identity primary key,
  webhook integer not null references webhooks on delete cascade,
  event_id uuid not null,
  is_test boolean not null default false,
  event_type text not null,
  attempt smallint not null,
  success boolean not null,
  status_code smallint,
  latency_ms integer not null,
  error text,
  attempted_at timestamptz not null
);
create index webhook_attempts_webhook on webhook_attempts (webhook, id);
