import type { Sql } from '../store/connection.js'

type OperatorKeyInsert = {
  name: string
  expiresAt: Date | null
  secretHash: Buffer
  hint: string
  nowMs: number
}

export async function insertOperatorKey(sql: Sql, key: OperatorKeyInsert): Promise<number> {
  const { name, expiresAt, secretHash, hint, nowMs } = key
  const [row] = await sql<{ id: number }[]>`
    insert into operator_keys (name, expires_at, secret_sha256, hint, created_at)
    values (${name}, ${expiresAt}, ${secretHash}, ${hint}, ${new Date(nowMs)})
    returning id`
  if (row === undefined) throw new Error('insert returned no row')
  return row.id
}

/** The key with this hash, whose use is noted; `undefined`: none that works. Index: operator_keys_secret_sha256_key. */
export async function useOperatorKey(
  sql: Sql,
  secretHash: Buffer,
  nowMs: number,
): Promise<number | undefined> {
  const now = new Date(nowMs)
  const [row] = await sql<{ id: number }[]>`
    update operator_keys set last_used_at = ${now}
     where secret_sha256 = ${secretHash}
       and revoked_at is null
       and (expires_at is null or expires_at > ${now})
    returning id`
  return row?.id
}

/** In the order of their creation. */
export function selectOperatorKeys(sql: Sql, limit: number) {
  type Row = { id: number; name: string; hint: string; createdAt: Date }
  type Times = { expiresAt: Date | null; revokedAt: Date | null; lastUsedAt: Date | null }
  return sql<(Row & Times)[]>`
    select id, name, hint, created_at, expires_at, revoked_at, last_used_at
      from operator_keys
     order by id
     limit ${limit}`
}

/** When the key was revoked: now, or earlier. `undefined`: there is no such key. */
export async function revokeOperatorKey(sql: Sql, id: number, nowMs: number) {
  const [row] = await sql<{ revokedAt: Date }[]>`
    update operator_keys set revoked_at = coalesce(revoked_at, ${new Date(nowMs)})
     where id = ${id}
    returning revoked_at`
  return row?.revokedAt
}
