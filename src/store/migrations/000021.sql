-- Orders are looked for by the first bytes of their hash: half of the size of a hash index on all of it. The service
-- builds the new indexes when it starts.
do $$
declare
  partition record;
begin
  for partition in select name from partitions where parent = 'fills' loop
    execute format('drop index if exists %I', partition.name || '_order_hash');
  end loop;
end
$$;

update partitions set is_indexed = false where parent = 'fills';
