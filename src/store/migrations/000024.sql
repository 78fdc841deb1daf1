-- Order books as they were recorded: see docs/books.md. Times are Unix milliseconds of the recorder's clock.
create table book_tokens (
  id integer generated always as identity primary key,
  token bytea not null unique,
  -- As the exchange names it; null: it has not said.
  condition text
);

-- One run of a recorder. All that it had to write before until_ms is written.
create table book_recordings (
  id integer generated always as identity primary key,
  from_ms bigint not null,
  until_ms bigint not null
);

-- Spans in which a recording has every change of a token; to_ms is the first moment that is not in it. Null: it goes on for
-- as long as the recording does. What lies between two spans is a gap. What came before kept_from_ms was dropped.
create table book_sessions (
  token integer not null,
  from_ms bigint not null,
  recording integer not null,
  to_ms bigint,
  kept_from_ms bigint not null default 0,
  primary key (token, from_ms, recording)
);

-- Strips of the hours that are not packed yet, about one for a token and a second. `place` orders the changes of a
-- millisecond. hour: unix time / 3600 of the whole book that the strip builds on; is_whole: it begins with that book.
create table book_tail (
  token integer not null,
  recording integer not null,
  from_ms bigint not null,
  from_place integer not null,
  to_ms bigint not null,
  to_place integer not null,
  hour integer not null,
  is_whole boolean not null,
  changes integer not null,
  bytes bytea not null,
  primary key (token, recording, from_ms, from_place)
);
create index book_tail_hour on book_tail (hour, token);

-- An hour of a token in one row, or in a few where there was much of it. A partition is a UTC day, which retention drops.
create table book_blocks (
  token integer not null,
  recording integer not null,
  hour integer not null,
  from_ms bigint not null,
  from_place integer not null,
  to_ms bigint not null,
  to_place integer not null,
  is_whole boolean not null,
  changes integer not null,
  bytes bytea not null,
  primary key (token, recording, hour, from_ms, from_place)
) partition by range (hour);
