import { Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import { Address, Order, TimeBounds } from '../http/parameters.js'
import { selectWalletId } from '../lookups/ids.js'
import { selectSeqRange, sinceNamed } from '../lookups/seq-range.js'
import type { Sql } from '../store/connection.js'
import { CONTRACT_ADDRESSES } from '../upstreams/polygon/contracts.js'

/** What the lists of what a wallet did beside trading share. */
export const WALLET_ACTS = {
  tag: 'wallets',
  access: V3,
  narrowBy: ['after', 'before'],
  params: Type.Object({ address: Address }),
  query: Type.Object({ ...TimeBounds, order: Order }),
  page: { name: 'data', limitMax: 300, repeatsPath: false },
}

type ActsInput = { address: string; order?: 'asc' | 'desc'; after?: number; before?: number }

/** Of one wallet. `undefined`: nothing can match. */
export async function resolveWalletActs(
  sql: Sql,
  { address, order, ...times }: ActsInput,
  until: number | undefined,
) {
  const range = await selectSeqRange(sql, times, until)
  // Contracts of the platform only act for wallets, in more rows than a request may read.
  const wallet = CONTRACT_ADDRESSES.has(address) ? undefined : await selectWalletId(sql, address)
  if (range === undefined || wallet === undefined) return undefined
  const since = await sinceNamed(sql, range, { wallet })
  return { ...since, wallet, isAscending: order === 'asc' }
}
