-- Deliveries are claimed by account, so that one with many lanes that are due hides no other: see
-- src/webhooks/deliver/due-queues.ts. `places` is how many deliveries of a webhook may be under way at a time, which its
-- receiver earns by answering quickly; those that did so before keep what they had.
alter table webhook_lanes
  add column account_id integer,
  add column places smallint not null default 1 check (places between 1 and 10);
update webhook_lanes lane
   set account_id = w.account_id, places = case when lane.is_healthy then 10 else 1 end
  from webhooks w
 where w.id = lane.webhook;
alter table webhook_lanes alter column account_id set not null;
create index webhook_lanes_account on webhook_lanes (account_id, is_healthy, next_at) where next_at is not null;
