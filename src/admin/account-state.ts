import { noAccount } from '../accounts/accounts.js'
import { anonymiseAccount, updateSuspension } from '../accounts/queries.js'
import type { Platform } from '../platform.js'
import { transact } from '../store/transaction.js'
import { pauseWebhooksOf, removeWebhooksOf, resumeWebhooksOf } from '../webhooks/manage/webhook-registry.js'

type StateDeps = Pick<Platform, 'sql' | 'config'>
type StateChange = { accountId: number; nowMs: number }

/**
 * Suspends an account: all processes refuse its keys within a second and close its sockets, and its
 * webhooks are paused. `reason` is shown to its clients. Suspending again changes the reason alone.
 */
export async function suspendAccount(
  deps: StateDeps,
  { accountId, reason, nowMs }: StateChange & { reason: string | null },
): Promise<void> {
  const suspension = { suspendedAt: new Date(nowMs), reason }
  if (!(await updateSuspension(deps.sql, accountId, suspension))) throw noAccount(accountId)
  // After the commit: a request that makes or activates a webhook has ended, or is refused.
  await pauseWebhooksOf(deps, accountId, nowMs)
}

/** Ends a suspension. Webhooks that it has paused see what happens from now on. */
export async function resumeAccount(deps: StateDeps, { accountId, nowMs }: StateChange): Promise<void> {
  if (!(await updateSuspension(deps.sql, accountId, undefined))) throw noAccount(accountId)
  await resumeWebhooksOf(deps, accountId, nowMs)
}

/**
 * Deletes an account for good: its keys, webhooks, pools and names. What it used stays, under its number
 * alone, because past months may have to be accounted for.
 */
export async function deleteAccount(deps: StateDeps, { accountId, nowMs }: StateChange): Promise<void> {
  const isDeleted = await transact(deps.sql, (tx) => anonymiseAccount(tx, accountId, nowMs))
  if (!isDeleted) throw noAccount(accountId)
  await removeWebhooksOf(deps, accountId, nowMs)
}
