import type { Pool, Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import {
  deletePoolWallets,
  insertPoolWallets,
  lockPool,
  type PoolWallet,
  type StoredScore,
  selectPool,
  selectPoolWallets,
} from './pool-queries.js'

/** Whose pool it is, and how many wallets the plan grants. */
export type PoolOwner = { keyId: number; walletsMax: number; nowMs: number }

type AddedWallets = { added: number; alreadyTracked: number; total: number; dropped: number }

/** Adds wallets in the order of the request until the pool is full; `dropped` did not fit. */
export function addWallets(
  sql: Pool,
  { keyId, walletsMax, nowMs }: PoolOwner,
  wallets: readonly string[],
): Promise<AddedWallets> {
  return transact(sql, async (tx) => {
    await lockPool(tx, keyId)
    const tracked = new Set(await selectPoolWallets(tx, keyId))
    const missing = wallets.filter((wallet) => !tracked.has(wallet))
    const added = missing.slice(0, Math.max(0, walletsMax - tracked.size))
    if (added.length > 0) await insertPoolWallets(tx, keyId, added, nowMs)
    return {
      added: added.length,
      alreadyTracked: wallets.length - missing.length,
      total: tracked.size + added.length,
      dropped: missing.length - added.length,
    }
  })
}

/** Takes out those that are in the pool. */
export function removeWallets(
  sql: Pool,
  { keyId, nowMs }: PoolOwner,
  wallets: readonly string[],
): Promise<{ removed: number; total: number }> {
  return transact(sql, async (tx) => {
    await lockPool(tx, keyId)
    const removed = await deletePoolWallets(tx, keyId, wallets, nowMs)
    return { removed, total: (await selectPoolWallets(tx, keyId)).length }
  })
}

/** A wallet of a pool with its scores by days. */
export type PoolEntry = PoolWallet & { scores: Map<number, StoredScore> }

/** In the order of the addresses. */
export async function readPool(sql: Sql, keyId: number, days: readonly number[]): Promise<PoolEntry[]> {
  const entries = new Map<string, PoolEntry>()
  for (const row of await selectPool(sql, keyId, days)) {
    const { wallet, error, errorSec, triedSec, days: ofDays, ...score } = row
    const known = entries.get(wallet)
    const entry = known ?? { wallet, error, errorSec, triedSec, scores: new Map() }
    if (known === undefined) entries.set(wallet, entry)
    if (ofDays !== null) entry.scores.set(ofDays, score as StoredScore)
  }
  return [...entries.values()]
}

/**
 * Unix seconds since which every wallet of the pool was refreshed, those left out that never were. Scoring runs
 * are spread over the day, so this is when the last full round of the pool had got to its first
 * wallet. `null`: no wallet was refreshed yet.
 */
export function lastRefreshOf(entries: readonly PoolEntry[]): number | null {
  const times = entries.flatMap(({ triedSec }) => triedSec ?? [])
  return times.length === 0 ? null : times.reduce((least, sec) => Math.min(least, sec))
}
