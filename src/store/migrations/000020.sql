-- How each process did in each minute, for the history of `/v1/status`; deleted after a week. A row is written once its
-- minute is over, and may be written again with the same content.
create table status_samples (
  at timestamptz not null,
  process uuid not null,
  -- The worst of the minute: 0 ready, 1 degraded, 2 not ready.
  status smallint not null check (status between 0 and 2),
  head_block integer not null,
  -- The most of the minute; null: no block is booked.
  head_age_seconds integer,
  requests integer not null,
  server_errors integer not null,
  upstream_faults integer not null,
  -- The upstreams that had some.
  failing text[] not null,
  primary key (at, process)
);
