import { LRUCache } from 'lru-cache'
import { type ApiError, tooManyRequests } from '../core/errors.js'
import type { Pool } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import { makeKey, type NewKey } from './accounts.js'
import { claimGrant, insertAccount } from './queries.js'

export const FREE_KEY_PERIOD_MS = 24 * 60 * 60 * 1000

const REFUSED_MAX = 10_000

export type FreeKeyRequest = { name: string; address: string; nowMs: number }

/** Gives strangers a free account with its one key: one per network and rolling day. */
export class FreeKeys {
  readonly #store: { readonly sql: Pool }
  // Addresses that must wait, and until when: asking again costs the database nothing.
  readonly #refused = new LRUCache<string, number>({ max: REFUSED_MAX })

  constructor(store: { readonly sql: Pool }) {
    this.#store = store
  }

  async issue({ name, address, nowMs }: FreeKeyRequest): Promise<NewKey> {
    const waitUntilMs = this.#refused.get(address) ?? 0
    if (nowMs < waitUntilMs) throw refuse(waitUntilMs, nowMs)
    return await transact(this.#store.sql, async (tx) => {
      const claim = { address, nowMs, periodMs: FREE_KEY_PERIOD_MS }
      const { granted, grantedAt } = await claimGrant(tx, claim)
      if (!granted) {
        const nextAtMs = grantedAt.getTime() + FREE_KEY_PERIOD_MS
        this.#refused.set(address, nextAtMs)
        throw refuse(nextAtMs, nowMs)
      }
      const accountId = await insertAccount(tx, { name, plan: 'free', nowMs })
      return await makeKey(tx, { accountId, name, nowMs })
    })
  }
}

function refuse(nextAtMs: number, nowMs: number): ApiError {
  const nextAt = Math.ceil(nextAtMs / 1000)
  return tooManyRequests(
    `At most 1 key per IP address and day. The next one can be made after ${nextAt}.`,
    nextAtMs - nowMs,
  )
}
