-- Not additive: the check of socket_counts takes one kind more. Processes of the release before write none of it, and go on.
-- What live sockets were sent beside the events of the chain, which event_log has: coin prices and scores, in the order in
-- which one process published them. A replay reads both.
create table replay_log (
  id bigint generated always as identity primary key,
  -- When the first and the last event of the row were published, in Unix milliseconds.
  first_ms bigint not null,
  last_ms bigint not null,
  -- JSON as raw deflate, as in event_log.
  events bytea not null
);
alter table replay_log alter column events set storage external;
create index replay_log_last_ms on replay_log (last_ms);

-- Replays are counted beside the sockets of an account.
alter table socket_counts drop constraint socket_counts_kind_check;
alter table socket_counts add constraint socket_counts_kind_check
  check (kind in ('events', 'orderbook', 'firehose', 'replay'));
