import type { Fragment, Sql } from '../store/connection.js'

type Keys = Record<string, number>

/** The keys of rows as people know them: addresses, decimal token ids; each text ends with `: `. */
export async function describeKeys(sql: Sql, rows: readonly Keys[]): Promise<string[]> {
  const [wallets, tokens, conditions, builders] = await Promise.all([
    selectNames(sql, rows, 'wallet', sql`select id, address as name from wallets`),
    selectNames(sql, rows, 'token', sql`select id, token as name from tokens`),
    selectNames(sql, rows, 'condition', sql`select id, condition as name from conditions`),
    selectNames(sql, rows, 'builder', sql`select id, code as name from builders`),
  ])
  const show: Record<string, (id: number) => string> = {
    wallet: (id) => wallets.get(id) ?? unknown(id),
    token: (id) => (tokens.has(id) ? BigInt(tokens.get(id) ?? 0).toString() : unknown(id)),
    condition: (id) => conditions.get(id) ?? unknown(id),
    builder: (id) => builders.get(id) ?? unknown(id),
  }
  return rows.map((keys) => {
    const words = Object.entries(keys).map(([key, id]) => `${key} ${show[key]?.(id) ?? id}`)
    return words.length === 0 ? '' : `${words.join(', ')}: `
  })
}

const unknown = (id: number): string => `number ${id} (without a name)`

async function selectNames(
  sql: Sql,
  rows: readonly Keys[],
  key: string,
  source: Fragment,
): Promise<Map<number, string>> {
  const ids = rows.flatMap((keys) => keys[key] ?? [])
  if (ids.length === 0) return new Map()
  const named = await sql<{ id: number; name: string }[]>`
    select id, '0x' || encode(name, 'hex') as name
      from (${source}) as named
     where id = any(${ids}::integer[])`
  return new Map(named.map(({ id, name }) => [id, name]))
}
