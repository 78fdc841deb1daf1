-- What the audit compares stored rows with where no other row contradicts them: digests that the writers store,
-- which stay as they are when a row is changed by hand.

-- Of all facts of a block; see src/chain/write/fact-digests.ts.
create table fact_digests (
  block integer primary key,
  digest bigint not null
);
insert into fact_digests
select block, bit_xor(hash) from (
  select number as block, hash_record_extended(stored, hashtext('blocks')) as hash from blocks as stored
  union all
  select block, hash_record_extended(stored, hashtext('supply_changes')) from supply_changes as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('fills'))
    from fills as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('splits'))
    from splits as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('redemptions'))
    from redemptions as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(row(seq, amount, wallet, market, index_set, given, taken, tx_hash), hashtext('conversions'))
    from conversions as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('migrations'))
    from migrations as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('transfers'))
    from transfers as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('fees'))
    from fees as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('flows'))
    from flows as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('preparations'))
    from preparations as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('resolutions'))
    from resolutions as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('oracle_events'))
    from oracle_events as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('neg_risk_markets'))
    from neg_risk_markets as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('neg_risk_questions'))
    from neg_risk_questions as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('combos'))
    from combos as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('combo_events'))
    from combo_events as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('wallet_owners'))
    from wallet_owners as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('raw_logs'))
    from raw_logs as stored
  union all
  select (seq >> 20)::integer, hash_record_extended(stored, hashtext('quarantine'))
    from quarantine as stored where reason <> 'out_of_range'
) as facts
group by block;

-- Of an id and its natural id.
alter table wallets add column checksum integer;
alter table conditions add column checksum integer;
alter table builders add column checksum integer;
alter table tokens add column checksum integer;
update wallets set checksum = hash_record(row(id, address));
update conditions set checksum = hash_record(row(id, condition));
update builders set checksum = hash_record(row(id, code));
update tokens set checksum = hash_record(row(id, token));

-- The last number of the row before, so that rows that are missing leave a gap, and of the newest row. 0: rows of
-- before have neither.
alter table event_log add column previous_seq bigint not null default 0;
alter table event_log add column checksum integer;
alter table event_log_end add column last_seq bigint not null default 0;

-- Of all rows of a snapshot, written with them; null: it is being made.
alter table stats_snapshots add column markets_digest bigint;
alter table stats_snapshots add column events_digest bigint;
alter table builder_board_state add column digest bigint;
alter table combo_state add column ranks_digest bigint;
alter table copy_scores add column checksum integer;
