import type { Platform } from '../../platform.js'
import type { Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { wakeLanes } from '../deliver/lanes.js'
import { changeWebhook } from './webhook-registry.js'

const SUSPENDED = 'account_suspended'

/** `config` is for the addresses of webhooks. */
type AccountContext = Pick<Platform, 'sql' | 'config'>

/**
 * Pauses the webhooks of a suspended account, and ends its listeners. What waits to be sent is cancelled by
 * the dispatcher.
 */
export async function pauseWebhooksOf(
  { sql }: AccountContext,
  accountId: number,
  nowMs: number,
): Promise<void> {
  // Each by itself: who changes several holds the revision that others wait for with their webhook locked.
  for (const { id, isListener } of await selectWebhooksOf(sql, accountId)) {
    if (isListener) await removeById(sql, id, nowMs)
    await transact(sql, async (tx) => {
      const rows = await tx`select from webhooks where id = ${id} and active for no key update`
      if (rows.length === 0) return
      await wakeLanes(tx, [id], nowMs)
      const now = new Date(nowMs)
      await tx`
        update webhooks
           set active = false, disabled_reason = ${SUSPENDED}, disabled_at = ${now}, updated_at = ${now}
         where id = ${id}`
    })
  }
}

/** Activates what `pauseWebhooksOf` has paused. It sees what happens from now on. */
export async function resumeWebhooksOf(ctx: AccountContext, accountId: number, nowMs: number): Promise<void> {
  for (const { name, disabledReason } of await selectWebhooksOf(ctx.sql, accountId)) {
    if (disabledReason !== SUSPENDED) continue
    await changeWebhook(ctx, { accountId, name }, { active: true }, nowMs)
  }
}

/** Takes all webhooks of an account away at once, with their secrets; a job deletes their rows. */
export async function removeWebhooksOf(
  { sql }: AccountContext,
  accountId: number,
  nowMs: number,
): Promise<void> {
  for (const { id } of await selectWebhooksOf(sql, accountId)) await removeById(sql, id, nowMs)
}

async function removeById(sql: Sql, id: number, nowMs: number): Promise<void> {
  await sql`
    update webhooks set active = false, deleted_at = ${new Date(nowMs)}, secret = ''
     where id = ${id} and deleted_at is null`
}

type AccountWebhook = {
  id: number
  name: string
  isListener: boolean
  disabledReason: string | null
}

/** Index: webhooks_account. */
const selectWebhooksOf = (sql: Sql, accountId: number) =>
  sql<AccountWebhook[]>`
    select id, name, polled_at is not null as is_listener, disabled_reason from webhooks
     where account_id = ${accountId} and deleted_at is null
     order by id`
