-- Requests in the windows of limits that hold for all processes together; see src/accounts/shared-limiter.ts.
-- Unlogged: after a crash of the database the windows, of seconds, start anew.
create unlogged table rate_windows (
  bucket text not null,
  subject integer not null,
  -- Unix milliseconds of the requests that count, the oldest first.
  times bigint[] not null,
  -- Whether the last request was let through.
  is_granted boolean not null,
  primary key (bucket, subject)
);

-- Until when, in Unix milliseconds, requests that are under way hold a unit of the month's quota; see
-- src/accounts/social-quota.ts. In the row of the counter, so that one statement compares and takes.
alter table usage add column leases bigint[] not null default '{}';
