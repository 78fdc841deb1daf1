import type { Sql } from '../store/connection.js'
import type { KeyOwner } from './queries.js'

/** Who owns the key of the session with this hash, unless the key was revoked. Index: web_sessions_pkey. */
export async function selectSessionOwner(sql: Sql, tokenHash: Buffer) {
  const [row] = await sql<KeyOwner[]>`
    select k.id as key_id, k.account_id, a.plan, k.scope, k.expires_at, s.expires_at as session_expires_at,
           a.suspended_at is not null as is_suspended, a.suspended_reason
      from web_sessions s
      join api_keys k on k.id = s.key_id
      join accounts a on a.id = k.account_id
     where s.token_sha256 = ${tokenHash}
       and k.revoked_at is null
       and a.deleted_at is null`
  return row
}

/** Holds the row of a key until the transaction ends. `false`: the key was revoked. */
export async function lockKey(tx: Sql, keyId: number): Promise<boolean> {
  const rows = await tx`
    select from api_keys where id = ${keyId} and revoked_at is null for no key update`
  return rows.length > 0
}

type SessionInsert = { tokenHash: Buffer; keyId: number; nowMs: number; expiresAtMs: number }

export async function insertSession(sql: Sql, session: SessionInsert): Promise<void> {
  const { tokenHash, keyId, nowMs, expiresAtMs } = session
  await sql`
    insert into web_sessions (token_sha256, key_id, created_at, expires_at)
    values (${tokenHash}, ${keyId}, ${new Date(nowMs)}, ${new Date(expiresAtMs)})`
}

/** Ends sessions: processes that have seen them forget them. Index: web_sessions_pkey. */
export async function deleteSessions(sql: Sql, tokenHashes: readonly Buffer[]): Promise<void> {
  await sql`
    with ended as (
      delete from web_sessions where token_sha256 = any(${sql.array([...tokenHashes])}::bytea[]) returning 1)
    update accounts_revision set sessions_revision = sessions_revision + 1
     where exists (select from ended)`
}

/** Ends all sessions of a key but the newest `kept`. Index: web_sessions_key. */
export async function deleteOlderSessions(sql: Sql, keyId: number, kept: number): Promise<void> {
  await sql`
    with ended as (
      delete from web_sessions
       where token_sha256 in (
         select token_sha256 from web_sessions
          where key_id = ${keyId}
          order by created_at desc, token_sha256
         offset ${kept})
      returning 1)
    update accounts_revision set sessions_revision = sessions_revision + 1
     where exists (select from ended)`
}

/** Forgets sessions that have ended by themselves. Index: web_sessions_expires_at. */
export async function deleteExpiredSessions(sql: Sql, nowMs: number): Promise<void> {
  await sql`delete from web_sessions where expires_at <= ${new Date(nowMs)}`
}

type CodeInsert = { codeHash: Buffer; keyId: number | null; goodForMs: number }

export async function insertSignInCode(sql: Sql, { codeHash, keyId, goodForMs }: CodeInsert): Promise<void> {
  await sql`
    insert into sign_in_codes (code_sha256, key_id, expires_at)
    values (${codeHash}, ${keyId}, now() + make_interval(secs => ${goodForMs / 1000}))`
}

/** `undefined`: there is no such code, or its time is over. The row is held until the transaction ends. */
export async function lockSignInCode(tx: Sql, codeHash: Buffer) {
  const [row] = await tx<{ keyId: number | null }[]>`
    select key_id from sign_in_codes where code_sha256 = ${codeHash} and expires_at > now() for update`
  return row
}

export async function deleteSignInCode(sql: Sql, codeHash: Buffer): Promise<void> {
  await sql`delete from sign_in_codes where code_sha256 = ${codeHash}`
}

/** Forgets codes whose time is over. */
export async function deleteExpiredCodes(sql: Sql): Promise<void> {
  await sql`delete from sign_in_codes where expires_at <= now()`
}
