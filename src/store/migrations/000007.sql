-- Processes with open WebSockets. What a process holds counts while its lease runs and its connection to the
-- database lives: a process that was killed loses its places at once, one that was cut off when the lease ends.
create table socket_holders (
  id uuid primary key,
  expires_at timestamptz not null,
  backend_pid integer not null,
  backend_start timestamptz not null
);

-- How many sockets and firehoses each account has open in each process.
create table socket_counts (
  holder uuid not null references socket_holders on delete cascade,
  account_id integer not null references accounts,
  kind text not null check (kind in ('events', 'orderbook', 'firehose')),
  count integer not null check (count >= 0),
  primary key (account_id, kind, holder)
);
create index socket_counts_holder on socket_counts (holder);

-- How long accounts with an allowance were connected on each UTC day.
create table socket_times (
  account_id integer not null references accounts,
  day date not null,
  kind text not null check (kind in ('events', 'orderbook')),
  used_ms bigint not null,
  primary key (account_id, day, kind)
);
