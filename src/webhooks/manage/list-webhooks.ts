import type { Sql } from '../../store/connection.js'
import { presentWebhook } from './present.js'
import { selectWebhooks, type WebhookRow } from './queries.js'

/** So many have a few megabytes of filters at most. */
const BATCH_ROWS = 20

/**
 * The answer with all webhooks of an account, in pieces: together their filters may be tens of megabytes.
 * The first batch is read before the first piece, so that what is wrong then can still be answered.
 */
export async function listWebhooks(sql: Sql, accountId: number): Promise<AsyncIterable<string>> {
  const select = (after: number) => selectWebhooks(sql, accountId, { after, limit: BATCH_ROWS })
  return writeList(await select(0), select)
}

async function* writeList(
  first: readonly WebhookRow[],
  select: (after: number) => Promise<WebhookRow[]>,
): AsyncGenerator<string> {
  let count = 0
  let rows = first
  yield '{"webhooks":['
  for (;;) {
    for (const row of rows) {
      yield `${count === 0 ? '' : ','}${JSON.stringify(presentWebhook(row))}`
      count++
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH_ROWS) break
    rows = await select(last.id)
  }
  yield `],"count":${count}}`
}
