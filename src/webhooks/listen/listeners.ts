import { ApiError } from '../../core/errors.js'
import type { Platform } from '../../platform.js'
import type { SecretBox } from '../../store/secret-box.js'
import { transact } from '../../store/transaction.js'
import { insertWebhook } from '../manage/queries.js'
import { readSecret } from '../manage/read-body.js'
import { createWebhookName, createWebhookSecret } from '../manage/webhook-registry.js'
import { checkRequiredFilters, parseEventTypes, parseFilters } from '../parse-webhook.js'
import { countListeners, deleteIdleListeners } from './queries.js'

/** Of an account at a time. */
const LISTENERS_MAX = 3
/** A listener that does not ask for events this long is taken for gone. */
const IDLE_MS_MAX = 2 * 60_000

/**
 * Makes a listener: a webhook whose events are not sent, but wait until they are asked for. What is asked
 * for is checked as it is of a webhook.
 */
export async function createListener(
  ctx: Pick<Platform, 'sql' | 'clock'> & { secretBox: SecretBox },
  accountId: number,
  wish: { event_types?: unknown; filters?: unknown; secret?: unknown },
): Promise<{ id: string; secret: string }> {
  const eventTypes = parseEventTypes(wish.event_types)
  const filters = parseFilters(wish.filters)
  checkRequiredFilters(eventTypes, filters)
  const secret = readSecret(wish.secret) ?? createWebhookSecret()
  const name = createWebhookName()
  const encrypted = await ctx.secretBox.encrypt(secret, name)
  const nowMs = ctx.clock.now()
  await transact(ctx.sql, async (tx) => {
    if ((await countListeners(tx, accountId)) >= LISTENERS_MAX) throw tooManyListeners()
    const webhook = { name, accountId, url: '', eventTypes, filters, description: null }
    await insertWebhook(tx, { ...webhook, secret: encrypted, nowMs, isPolled: true })
  })
  return { id: name, secret }
}

const tooManyListeners = () =>
  new ApiError(403, 'listener_limit_reached', {
    message: `The account has ${LISTENERS_MAX} listeners already.`,
    hint: 'End another `auspex listen`; one that was killed is gone after two minutes.',
  })

/** A job: takes listeners away whose command has ended without saying so. */
export async function deleteUnpolledListeners({ sql, clock }: Platform): Promise<void> {
  const nowMs = clock.now()
  await deleteIdleListeners(sql, { beforeMs: nowMs - IDLE_MS_MAX, nowMs })
}
