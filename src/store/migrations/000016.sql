-- Partitions of before lack the indexes of fills of orders that took and that were met: the writer builds what is missing
-- when it is at the head.
update partitions set is_indexed = false where parent = 'fills';
