// Writes the database of a release with what it answers, for test/upgrade.test.ts:
//   node scripts/export-release.js <database URL> <URL of its service> <key> <secret key> test/releases/schema-<version>.json.br
// The service must stand still: stop the demo of the release, and start `auspex up` of the release on its folder, without
// upstreams and with the dataset of the folder. Small histories (15 minutes) make small files.
import { writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { createPool } from '../dist/src/store/connection.js'

/** What does not depend on when it is asked. */
const PATHS = [
  '/v3/trades?limit=100',
  '/v3/trades?limit=50&fills=taker&min_amount_usd=50',
  '/v3/wallets/{wallet}',
  '/v3/wallets/{wallet}/trades?limit=100',
  '/v3/wallets/{wallet}/positions?limit=100',
  '/v3/wallets/{wallet}/pnl/events?group=day&limit=100',
  '/v3/markets/condition/{condition}',
  '/v3/markets/condition/{condition}/positions?limit=100',
  '/v3/trades?condition_id={condition}&limit=100',
  '/v3/events?limit=20&sort=created_at',
  '/v3/resolutions?limit=50',
  '/v3/wallets/{wallet}/activity?limit=100',
  '/v3/wallets/{wallet}/fees-paid',
  '/v3/combos/markets?limit=20',
  '/v3/wallets/{wallet}/combos/trades?limit=20',
  '/v3/webhooks',
  '/v1/account/keys',
]

const [databaseUrl = '', serviceUrl = '', key = '', secretKey = '', file = ''] = process.argv.slice(2)

async function ask(path) {
  const reply = await fetch(serviceUrl + path, { headers: { 'x-api-key': key } })
  const body = await reply.json()
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(body)}`)
  return body
}

async function readAnswers() {
  const { trades } = await ask('/v3/trades?limit=300')
  const counts = new Map()
  for (const { maker } of trades) counts.set(maker, (counts.get(maker) ?? 0) + 1)
  const [wallet] = [...counts].sort((a, b) => b[1] - a[1])[0]
  const condition = trades.find(({ maker }) => maker === wallet).condition_id
  const paths = PATHS.map((path) => path.replace('{wallet}', wallet).replace('{condition}', condition))
  const answers = {}
  for (const path of paths) answers[path] = await ask(path)
  return answers
}

async function readDatabase(sql) {
  const [{ schema, dataset }] = await sql`
    select (select max(version) from schema_migrations) as schema, (select name from dataset) as dataset`
  // Partitions are made while blocks are booked.
  const partitions = await sql`
    select format('create table %I partition of %I %s', c.relname, p.relname, pg_get_expr(c.relpartbound, c.oid)) as statement
      from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
     where c.relispartition and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.oid`
  const indexes = await sql`
    select replace(pg_get_indexdef(i.indexrelid), 'INDEX', 'INDEX IF NOT EXISTS') as statement
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
     where c.relispartition and c.relnamespace = 'public'::regnamespace and not x.relispartition
       and not exists (select from pg_constraint where conindid = i.indexrelid) order by i.indexrelid`
  const names = await sql`
    select c.relname as name,
           (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
      from pg_class c
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations' order by 1`
  const tables = []
  for (const { name, columns } of names) {
    // Ticks are the largest part, and nothing follows from them.
    if (name.startsWith('tick_blocks')) continue
    // As text: JavaScript would round large numbers.
    const [{ rows }] = await sql.unsafe(`select json_agg(t)::text as rows from "${name}" t`)
    if (rows !== null) tables.push({ name, columns, rows })
  }
  const sequences = await sql`
    select sequencename as name, last_value::text as value from pg_sequences
     where schemaname = 'public' and last_value is not null order by 1`
  return {
    schema,
    dataset,
    partitions: [...partitions, ...indexes].map(({ statement }) => statement),
    tables,
    sequences: [...sequences],
  }
}

const sql = createPool({ url: databaseUrl }, 1)
const answers = await readAnswers()
const database = await sql.begin('isolation level repeatable read', readDatabase)
await sql.end()
const bytes = brotliCompressSync(JSON.stringify({ key, secretKey, answers, ...database }), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
})
writeFileSync(file, bytes)
console.log(`${file}: schema ${database.schema}, ${database.tables.length} tables, ${bytes.length} bytes`)
