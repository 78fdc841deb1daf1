import type { Sql } from '../../store/connection.js'

/** Tables and columns that tell how something came about, or depend on numbers of ids, not what is true of the chain. */
const BYSTANDERS = new Set([
  'schema_migrations',
  'partitions.isIndexed',
  'rewinds',
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
  'fact_digests',
  'wallets.checksum',
  'tokens.checksum',
  'conditions.checksum',
  'builders.checksum',
  'chain_state.epoch',
  'chain_state.firstBlock',
  'chain_state.firstHash',
])

const COLUMNS: Record<string, Kind> = {
  ...kinds('wallet', [
    'wallet',
    'taker',
    'exchange',
    'fromWallet',
    'toWallet',
    'asset',
    'ramp',
    'oracle',
    'contract',
    'actor',
    'proposer',
    'owner',
  ]),
  ...kinds('token', ['token', 'fromToken', 'toToken', 'tokens', 'given', 'taken']),
  ...kinds('condition', ['condition']),
  ...kinds('builder', ['builder']),
}

const UNDO_KEYS: Record<string, (Kind | undefined)[]> = {
  positions: ['wallet', 'token'],
  wallet_totals: ['wallet'],
  combo_totals: ['wallet'],
  minute_candles: ['token', undefined],
  hour_candles: ['token', undefined],
  token_totals: ['token'],
  builder_totals: ['builder'],
  builder_days: ['builder', undefined],
  builder_wallets: ['builder', 'wallet'],
  supplies: ['token'],
  reserves: ['condition'],
  last_prices: ['token'],
  tokens: ['token'],
}

type Kind = 'wallet' | 'token' | 'condition' | 'builder'
type Names = Record<Kind, Map<number, string>>
type Row = Record<string, unknown>

function kinds(kind: Kind, columns: string[]): Record<string, Kind> {
  return Object.fromEntries(columns.map((column) => [column, kind]))
}

/** Every row of every table, with natural ids instead of their numbers: equal for equal histories. */
export async function readContents(sql: Sql): Promise<Record<string, string[]>> {
  const names: Names = {
    wallet: await readNames(sql, 'wallets', 'address'),
    token: await readNames(sql, 'tokens', 'token'),
    condition: await readNames(sql, 'conditions', 'condition'),
    builder: await readNames(sql, 'builders', 'code'),
  }
  const tables = await sql<{ name: string }[]>`
    select relname as name
      from pg_class
     where relnamespace = 'public'::regnamespace
       and relkind in ('r', 'p')
       and not relispartition
     order by relname`
  const contents: Record<string, string[]> = {}
  for (const { name } of tables) {
    if (BYSTANDERS.has(name)) continue
    const rows = await sql<Row[]>`select * from ${sql(name)}`
    contents[name] = rows.map((row) => showRow(name, row, names)).sort()
  }
  return contents
}

async function readNames(sql: Sql, table: string, column: string): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; name: string }[]>`
    select id, encode(${sql(column)}, 'hex') as name from ${sql(table)}`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function showRow(table: string, row: Row, names: Names): string {
  const fields = Object.entries(row)
    .filter(([column]) => column !== 'id' && !BYSTANDERS.has(`${table}.${column}`))
    .map(([column, value]) => {
      if (table === 'undo' && column === 'key') {
        const keys = UNDO_KEYS[String(row.state)] ?? []
        return showNames(value, (index) => keys[index], names)
      }
      return `${column}=${showNames(value, () => COLUMNS[column], names)}`
    })
  return fields.join(' ')
}

function showNames(value: unknown, kindOf: (index: number) => Kind | undefined, names: Names) {
  if (Buffer.isBuffer(value)) return value.toString('hex')
  const show = (item: unknown, index: number): string => {
    const kind = kindOf(index)
    return (kind && names[kind].get(Number(item))) ?? String(item)
  }
  return Array.isArray(value) ? value.map(show).join() : show(value, 0)
}

/** The rows that one has and the other has not, a few of each table; `{}`: there are none. */
export function compareContents(
  found: Record<string, string[]>,
  expected: Record<string, string[]>,
): Record<string, { surplus: string[]; missing: string[] }> {
  const differences: Record<string, { surplus: string[]; missing: string[] }> = {}
  for (const table of new Set([...Object.keys(found), ...Object.keys(expected)])) {
    const surplus = without(found[table] ?? [], expected[table] ?? [])
    const missing = without(expected[table] ?? [], found[table] ?? [])
    if (surplus.length + missing.length > 0)
      differences[table] = { surplus: surplus.slice(0, 3), missing: missing.slice(0, 3) }
  }
  return differences
}

function without(rows: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const row of others) counts.set(row, (counts.get(row) ?? 0) + 1)
  return rows.filter((row) => {
    const count = counts.get(row) ?? 0
    counts.set(row, count - 1)
    return count <= 0
  })
}
