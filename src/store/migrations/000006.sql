-- The events of the chain as they were published, for clients that resume. Rows are written in the
-- transaction that books their blocks and live for a day.
create table event_log (
  -- Numbers of the last and of the first event of the row. Rows do not overlap.
  last_seq bigint primary key,
  first_seq bigint not null,
  -- The number at which the process that wrote the row began. Pending events of the process before it
  -- may be missing below.
  session bigint not null,
  published_ms bigint not null,
  -- JSON as raw deflate. Compressing it again would cost time and save nothing.
  events bytea not null
);
alter table event_log alter column events set storage external;
create index event_log_published_ms on event_log (published_ms);

-- Events up to this number were deleted.
create table event_log_end (
  only_row boolean primary key default true check (only_row),
  deleted_seq bigint not null
);
insert into event_log_end (deleted_seq) values (0);
