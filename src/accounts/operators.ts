import type { Clock } from '../core/clock.js'
import { ApiError, databaseLost, notFound, tooManyRequests } from '../core/errors.js'
import type { Pool, Sql } from '../store/connection.js'
import { AddressThrottle } from './address-throttle.js'
import { insertOperatorKey, revokeOperatorKey, useOperatorKey } from './operator-queries.js'
import { createOperatorSecret, digestOperatorSecret, hintOf, toHash } from './secret.js'

/** Each unknown key costs a query. */
const UNKNOWN_KEYS_PER_MINUTE_MAX = 60

const HOW_TO_SEND =
  "Send an operator's key (`auspex operator-keys create`) in the x-api-key header or as Authorization: Bearer."

type OperatorDeps = {
  store: { readonly sql: Pool; readonly problem: string | undefined }
  clock: Clock
}

/** The people who run the service. Their keys are looked up in the database each time: they are few requests. */
export class Operators {
  readonly #deps: OperatorDeps
  readonly #unknownKeys: AddressThrottle

  constructor(deps: OperatorDeps) {
    this.#deps = deps
    this.#unknownKeys = new AddressThrottle(deps.clock, UNKNOWN_KEYS_PER_MINUTE_MAX)
  }

  /** The id of the key that a request carries. Throws an `ApiError` when it is none that works. */
  async identify(secret: string | undefined, { ip }: { ip: string }): Promise<string> {
    const { store, clock } = this.#deps
    if (secret === undefined) throw new ApiError(401, `Missing operator's key. ${HOW_TO_SEND}`)
    if (store.problem !== undefined) throw databaseLost()
    const waitMs = this.#unknownKeys.waitMs(ip)
    if (waitMs > 0) throw tooManyRequests('Too many unknown keys.', waitMs)
    const digest = digestOperatorSecret(secret)
    const nowMs = clock.now()
    const id = digest === undefined ? undefined : await useOperatorKey(store.sql, toHash(digest), nowMs)
    if (id !== undefined) return showOperatorKey(id)
    this.#unknownKeys.add(ip)
    // An API key of an account gets the same answer, whether or not it works elsewhere.
    throw new ApiError(403, `This is no operator's key that works. ${HOW_TO_SEND}`)
  }
}

export const showOperatorKey = (id: number): string => `op_${id}`

/** A new operator's key: the only moment at which its secret is known. */
export async function createOperatorKey(
  sql: Sql,
  { name, expiresAtMs, nowMs }: { name: string; expiresAtMs?: number | undefined; nowMs: number },
): Promise<{ id: number; secret: string }> {
  const secret = createOperatorSecret()
  const digest = digestOperatorSecret(secret) ?? ''
  const expiresAt = expiresAtMs === undefined ? null : new Date(expiresAtMs)
  const key = { name, expiresAt, secretHash: toHash(digest), hint: hintOf(secret), nowMs }
  return { id: await insertOperatorKey(sql, key), secret }
}

/** Revokes an operator's key for good, at once; the time of the first revocation stands. */
export async function retireOperatorKey(sql: Sql, id: number, nowMs: number): Promise<Date> {
  const revokedAt = await revokeOperatorKey(sql, id, nowMs)
  if (revokedAt === undefined) throw notFound(`There is no operator's key ${showOperatorKey(id)}.`)
  return revokedAt
}
