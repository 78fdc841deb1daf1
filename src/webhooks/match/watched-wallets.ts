import type { WebhookEventType } from '../event-types.js'
import type { FactSlice } from './fact-slice.js'

/** Addresses that are looked up by one query. */
const LOOKUP_MAX = 20_000

/** Those of the wallets that a webhook watches: id to address. The work grows with the wallets given. */
export async function selectWatched(
  { sql, isWatched }: Pick<FactSlice, 'sql' | 'isWatched'>,
  type: WebhookEventType,
  ids: Iterable<number>,
): Promise<Map<number, string>> {
  const watched = new Map<number, string>()
  const all = [...ids]
  for (let from = 0; from < all.length; from += LOOKUP_MAX) {
    const some = all.slice(from, from + LOOKUP_MAX)
    const rows = await sql<{ id: number; address: string }[]>`
      select id, '0x' || encode(address, 'hex') as address
        from wallets where id = any(${some}::integer[])`
    for (const { id, address } of rows) if (isWatched(type, address)) watched.set(id, address)
  }
  return watched
}
