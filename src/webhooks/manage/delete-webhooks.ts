import type { Sql } from '../../store/connection.js'

/** Attempts that were running when a webhook was deleted are over after this time. */
const REST_MS = 60_000
const WEBHOOKS_MAX = 100
const BATCH_ROWS = 5_000

/** What a webhook may have much of. The rest goes with its row. */
const TABLES = ['webhook_attempts', 'webhook_deliveries', 'webhook_bases']

/** Deletes the rows of webhooks that were taken away, in batches. Index: webhooks_deleted. */
export async function deleteOldWebhooks(sql: Sql, nowMs: number, signal: AbortSignal): Promise<void> {
  const rows = await sql<{ id: number }[]>`
    select id from webhooks
     where deleted_at is not null and deleted_at < ${new Date(nowMs - REST_MS)}
     order by id limit ${WEBHOOKS_MAX}`
  for (const { id } of rows) {
    for (const table of TABLES) await deleteRows(sql, table, id, signal)
    if (signal.aborted) return
    await sql`delete from webhooks where id = ${id}`
  }
}

async function deleteRows(sql: Sql, table: string, webhook: number, signal: AbortSignal) {
  let deleted = BATCH_ROWS
  while (deleted === BATCH_ROWS && !signal.aborted) {
    const { count } = await sql`
      delete from ${sql(table)}
       where ctid = any(array(select ctid from ${sql(table)} where webhook = ${webhook} limit ${BATCH_ROWS}
                                 for update skip locked))`
    deleted = count
  }
}
