import { ApiError } from '../core/errors.js'
import type { Pool, Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import { createSessionToken, digestSession, toHash } from './secret.js'
import { deleteOlderSessions, deleteSessions, insertSession, lockKey } from './session-queries.js'

export const SESSION_SECONDS = 24 * 60 * 60

/** The next one ends the oldest, so that a client that signs in again and again fills no table. */
const SESSIONS_PER_KEY_MAX = 20

/** A session that has just begun: the only moment at which its token is known. */
export type NewSession = { token: string; expiresAtMs: number }

/** Begins a session that stands for a key. Throws when the key was revoked meanwhile. */
export const openSession = (pool: Pool, keyId: number, nowMs: number): Promise<NewSession> =>
  transact(pool, (tx) => openSessionIn(tx, keyId, nowMs))

/** The same in a transaction that does more. */
export async function openSessionIn(tx: Sql, keyId: number, nowMs: number): Promise<NewSession> {
  if (!(await lockKey(tx, keyId))) throw new ApiError(401, 'This API key was revoked. Sign in with another.')
  const token = createSessionToken()
  const expiresAtMs = nowMs + SESSION_SECONDS * 1000
  await deleteOlderSessions(tx, keyId, SESSIONS_PER_KEY_MAX - 1)
  await insertSession(tx, { tokenHash: hashToken(token), keyId, nowMs, expiresAtMs })
  return { token, expiresAtMs }
}

/** Ends the sessions of these tokens; unknown ones are ignored. All processes refuse them within a second. */
export async function endSessions(sql: Sql, tokens: readonly string[]): Promise<void> {
  const digests = tokens.map(digestSession).filter((digest) => digest !== undefined)
  if (digests.length > 0) await deleteSessions(sql, digests.map(toHash))
}

const hashToken = (token: string): Buffer => toHash(digestSession(token) ?? '')
