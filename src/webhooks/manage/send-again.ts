import type { Plans } from '../../accounts/plans.js'
import { ApiError, notFound, tooManyRequests } from '../../core/errors.js'
import { nextUtcDay } from '../../core/unix-time.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { countDeliveries, lockAllowances } from '../deliver/enqueue.js'
import { wakeLanes } from '../deliver/queries.js'
import { hasFailed, renewDelivery, renewFailed, type WebhookRow } from './queries.js'

/** Deliveries that one call of `recover` takes. */
const RECOVERED_MAX = 50_000
/** Of one transaction: the matcher waits for it when it queues something for the account. */
const RECOVERED_AT_ONCE = 2_000

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The account whose deliveries of the day are used. */
type Payer = { accountId: number; plans: Plans; nowMs: number }

type Resend = Payer & { webhook: Pick<WebhookRow, 'id' | 'active'> }

/** Has a delivery that is finished sent once more, with the same id and bytes. */
export async function resendDelivery(
  pool: Pool,
  eventId: string,
  { webhook, ...payer }: Resend,
): Promise<void> {
  const uuid = readEventId(eventId)
  if (!webhook.active) throw paused()
  const { nowMs } = payer
  await transact(pool, async (tx) => {
    await takeAllowance(tx, payer)
    const state = await renewDelivery(tx, { webhook: webhook.id, eventId: uuid, nowMs })
    if (state === undefined) throw noDelivery()
    if (state !== 'renewed') throw stillWaiting(state)
    await wakeLanes(tx, [webhook.id], nowMs)
  })
}

/** The UUID of an event of a delivery, such as `evt_7c1f0f6e-…`. */
export function readEventId(eventId: string): string {
  const uuid = eventId.toLowerCase().replace(/^evt_/, '')
  if (!UUID.test(uuid)) throw noDelivery()
  return uuid
}

export const noDelivery = () =>
  notFound('Delivery not found.', {
    hint: 'Give the id of an event that was sent to this webhook in the last seven days. Test deliveries are not kept.',
  })

const paused = () => new ApiError(409, 'The webhook is paused.', { hint: 'Set active to true first.' })

const stillWaiting = (state: string) =>
  new ApiError(409, 'The delivery is not finished.', {
    hint:
      state === 'held'
        ? 'It waits for its confirmations, and is sent by itself.'
        : 'It is being sent or will be tried again by itself.',
  })

/** Has everything that failed since a time sent once more, as far as the deliveries of the day allow. */
export async function recoverDeliveries(
  pool: Pool,
  sinceSec: number,
  { webhook, ...payer }: Resend,
): Promise<{ recovered: number; hasMore: boolean }> {
  if (!webhook.active) throw paused()
  const { accountId, nowMs } = payer
  const failed = { webhook: webhook.id, sinceSec }
  const recoverPart = (partMax: number) =>
    transact(pool, async (tx) => {
      const left = await readAllowance(tx, payer)
      const rowsMax = Math.min(partMax, left ?? partMax)
      const recovered = rowsMax === 0 ? 0 : await renewFailed(tx, { ...failed, rowsMax, nowMs })
      const hasMore = recovered === rowsMax && (await hasFailed(tx, failed))
      if (recovered === 0) return { recovered, hasMore }
      await countDeliveries(tx, new Map([[accountId, recovered]]), nowMs)
      await wakeLanes(tx, [webhook.id], nowMs)
      return { recovered, hasMore }
    })

  let recovered = 0
  for (;;) {
    const part = await recoverPart(Math.min(RECOVERED_AT_ONCE, RECOVERED_MAX - recovered))
    recovered += part.recovered
    if (recovered === 0 && part.hasMore) throw overAllowance(nowMs)
    const isOver = !part.hasMore || part.recovered === 0 || recovered >= RECOVERED_MAX
    if (isOver) return { recovered, hasMore: part.hasMore }
  }
}

/** Counts one delivery of the account, or throws a 429 when it has none left on this day. */
export async function takeAllowance(tx: Sql, payer: Payer): Promise<void> {
  const { accountId, nowMs } = payer
  if ((await readAllowance(tx, payer)) === 0) throw overAllowance(nowMs)
  await countDeliveries(tx, new Map([[accountId, 1]]), nowMs)
}

/** `null`: as many as it likes. */
async function readAllowance(tx: Sql, { accountId, ...rest }: Payer): Promise<number | null> {
  const left = await lockAllowances(tx, { accountIds: [accountId], ...rest })
  return left.get(accountId) ?? null
}

function overAllowance(nowMs: number): ApiError {
  const resetMs = nextUtcDay(nowMs)
  return tooManyRequests('daily delivery limit reached', resetMs - nowMs, {
    message: "The account has used up the day's webhook deliveries of its plan.",
    scope: 'webhook_deliveries',
    reset_at: resetMs / 1_000,
  })
}
