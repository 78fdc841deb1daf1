-- The processes of the service on this database. Each writes its own row every other second, and deletes it when it stops;
-- a row that was not written for ten seconds is of a process that died.
create table processes (
  id uuid primary key,
  roles text[] not null,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  -- What its follower of the chain does, as `/v1/status` says it.
  chain_phase text not null,
  -- What its `/readyz` says.
  status text not null,
  -- The jobs that it has leased.
  jobs text[] not null,
  warnings text[] not null
);
