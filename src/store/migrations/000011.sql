-- What upstreams said last, for the time when none of them answers; see src/store/copies.ts.
create table upstream_copies (
  key text primary key,
  -- JSON. A text: nothing is ever looked for in it.
  body text not null,
  as_of timestamptz not null
);
create index upstream_copies_as_of on upstream_copies (as_of);
