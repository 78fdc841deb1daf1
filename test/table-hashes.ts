import type { Sql } from '../src/store/connection.js'

/** Tables that say when and by whom something was done, not what is true of the chain. */
const BYSTANDERS = new Set([
  'schema_migrations',
  'event_log',
  'event_log_end',
  'rewinds',
  'webhook_cursor',
  'new_markets',
  'board_state',
  'board_scopes',
  'board_tokens',
  'board_positions',
  'all_time_boards',
  'rolling_boards',
  'rolling_scopes',
  'rolling_windows',
  'rewound_pnl',
  'rewound_positions',
  'retagged_markets',
  'upstream_copies',
  'rate_windows',
  'status_samples',
  'usernames',
])

/** A hash over every row of each table, in the order of its key: equal hashes, equal contents. */
export async function hashTables(sql: Sql): Promise<Record<string, string>> {
  const tables = await sql<{ name: string; key: string[] }[]>`
    select c.relname as name,
           array_agg(quote_ident(a.attname) order by array_position(i.indkey::int2[], a.attnum)) as key
      from pg_class c
      join pg_index i on i.indrelid = c.oid and i.indisprimary
      join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey::int2[])
     where c.relnamespace = 'public'::regnamespace
       and c.relkind in ('r', 'p')
       and not c.relispartition
     group by c.relname
     order by c.relname`
  const hashes: Record<string, string> = {}
  for (const { name, key } of tables) {
    if (BYSTANDERS.has(name)) continue
    const [row] = await sql.unsafe<{ hash: string }[]>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, e'\\n' order by ${key.join(', ')})), '') as hash
         from ${name} t`,
    )
    hashes[name] = row?.hash ?? ''
  }
  return hashes
}
