import { randomBytes } from 'node:crypto'
import type { Plan } from '../../accounts/plans.js'
import { lockActiveAccount } from '../../accounts/queries.js'
import { ApiError, inactiveAccount, notFound } from '../../core/errors.js'
import { toNanosecondText } from '../../core/unix-time.js'
import type { Platform } from '../../platform.js'
import type { Sql } from '../../store/connection.js'
import type { SecretBox } from '../../store/secret-box.js'
import { transact } from '../../store/transaction.js'
import { checkWebhookUrl } from '../deliver/address-guard.js'
import { cancelPending, forgetFailures, wakeLanes } from '../deliver/queries.js'
import { decodeSecret } from '../deliver/signature.js'
import { checkRequiredFilters } from '../parse-webhook.js'
import {
  countWebhooks,
  deleteBaselines,
  insertWebhook,
  isWebhook,
  lockWebhook,
  markDeleted,
  selectWebhook,
  updateSecret,
  updateWebhook,
  type WebhookKey,
  type WebhookRow,
} from './queries.js'
import { type NewWebhook, refuseUrl, type WebhookChanges } from './read-body.js'

type ChangeDeps = Pick<Platform, 'sql' | 'config'>
type RegistryDeps = ChangeDeps & { secretBox: SecretBox }

export const noWebhook = () => notFound('Webhook not found.')

export const createWebhookId = (): string => `wh_${randomBytes(6).toString('hex')}`
export const createWebhookSecret = (): string => `whsec_${randomBytes(16).toString('hex')}`

type Owner = { accountId: number; plan: Plan }

/** Makes a webhook, as far as the plan of the account allows. Returns its record with the secret. */
export async function createWebhook(
  deps: RegistryDeps,
  { accountId, plan }: Owner,
  { url, event_types: eventTypes, filters = {}, description = null, ...body }: NewWebhook,
  nowMs: number,
) {
  await checkTarget(deps, url)
  const publicId = createWebhookId()
  const secret = body.secret ?? createWebhookSecret()
  const encrypted = await deps.secretBox.encrypt(secret, publicId)
  await transact(deps.sql, async (tx) => {
    const { webhooksMax } = plan
    if ((await countWebhooks(tx, accountId, { isPolled: false })) >= webhooksMax) throw tooManyWebhooks(plan)
    const webhook = { publicId, accountId, url, eventTypes, filters, description }
    await insertWebhook(tx, { ...webhook, secret: encrypted, nowMs })
  })
  const fields = { id: publicId, url, event_types: eventTypes, filters, secret, active: true }
  const warnings = decodeSecret(secret) === undefined ? [UNDECODABLE_SECRET] : []
  return {
    ...fields,
    description,
    created_at: toNanosecondText(nowMs),
    ...(warnings.length > 0 && { warnings }),
  }
}

const UNDECODABLE_SECRET =
  'Standard Webhooks libraries cannot decode this secret: they expect whsec_ and base64. Check X-Webhook-Signature, give the library the secret as raw bytes, or leave secret out to have one made.'

const tooManyWebhooks = ({ id, webhooksMax }: Plan) =>
  new ApiError(403, 'webhook_limit_reached', {
    message: `The ${id} plan has ${webhooksMax} webhooks, and the account uses all of them.`,
    hint: 'Delete a webhook, or move to a higher plan: see /v1/plans.',
    limit: webhooksMax,
  })

async function checkTarget({ config }: ChangeDeps, url: string): Promise<void> {
  const problem = await checkWebhookUrl(url, config.webhookNetworks)
  if (problem !== undefined) throw refuseUrl(problem)
}

/** Changes fields of a webhook; all of its fields together must be valid. */
export async function changeWebhook(
  deps: ChangeDeps,
  key: WebhookKey,
  changes: WebhookChanges,
  nowMs: number,
): Promise<WebhookRow> {
  if ((await selectWebhook(deps.sql, key)) === undefined) throw noWebhook()
  if (changes.url !== undefined) await checkTarget(deps, changes.url)
  // What waits from before a pause may be much, and must not be sent after it.
  while (changes.active === true && (await cancelPart(deps, key, nowMs)));

  const { id, isPaused } = await transact(deps.sql, async (tx) => {
    if (!(await lockActiveAccount(tx, key.accountId))) throw inactiveAccount()
    const webhook = await lockWebhook(tx, key)
    if (webhook === undefined) throw noWebhook()
    const { event_types: eventTypes = webhook.eventTypes, ...others } = changes
    const changed = { ...webhook, ...others, eventTypes }
    checkRequiredFilters(changed.eventTypes, changed.filters)

    const isActivated = changed.active && !webhook.active
    if (isActivated) await resetState(tx, webhook.id, nowMs)
    // Last, because it keeps all other changes of webhooks waiting for the revision.
    if (Object.keys(changes).length > 0) await updateWebhook(tx, changed, { isActivated, nowMs })
    return { id: webhook.id, isPaused: webhook.active && !changed.active }
  })
  // The dispatcher cancels the rest.
  if (isPaused && (await cancelPart(deps, key, nowMs))) await wakeLanes(deps.sql, [id], nowMs)
  return (await selectWebhook(deps.sql, key)) ?? Promise.reject(noWebhook())
}

/** Cancels a part of what an inactive webhook has waiting. Returns whether more is left. */
function cancelPart({ sql }: ChangeDeps, key: WebhookKey, nowMs: number): Promise<boolean> {
  return transact(sql, async (tx) => {
    const webhook = await lockWebhook(tx, key)
    return webhook?.active === false && (await cancelPending(tx, webhook.id, nowMs))
  })
}

/** Forgets what an inactive webhook had waiting, how its receiver did and what values it has seen. */
async function resetState(tx: Sql, webhook: number, nowMs: number): Promise<void> {
  await cancelPending(tx, webhook, nowMs)
  await forgetFailures(tx, webhook)
  await deleteBaselines(tx, webhook)
}

/** The new secret. The old one signs nothing any more. */
export async function rotateSecret(
  { sql, secretBox }: RegistryDeps,
  key: WebhookKey,
  nowMs: number,
): Promise<string> {
  if ((await selectWebhook(sql, key)) === undefined) throw noWebhook()
  const secret = createWebhookSecret()
  const encrypted = await secretBox.encrypt(secret, key.publicId)
  if (!(await updateSecret(sql, key, { secret: encrypted, nowMs }))) throw noWebhook()
  return secret
}

export async function removeWebhook({ sql }: ChangeDeps, key: WebhookKey, nowMs: number): Promise<void> {
  if (!(await markDeleted(sql, isWebhook(sql, key), nowMs))) throw noWebhook()
}

const SUSPENDED = 'account_suspended'

/** `config` is for the addresses of webhooks. */
type AccountDeps = Pick<Platform, 'sql' | 'config'>

/**
 * Pauses the webhooks of a suspended account, and ends its listeners. What waits to be sent is cancelled by
 * the dispatcher.
 */
export async function pauseWebhooksOf({ sql }: AccountDeps, accountId: number, nowMs: number): Promise<void> {
  // Each by itself: who changes several holds the revision that others wait for with their webhook locked.
  for (const { id, isListener } of await selectWebhooksOf(sql, accountId)) {
    if (isListener) await markDeleted(sql, sql`w.id = ${id}`, nowMs)
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
export async function resumeWebhooksOf(deps: AccountDeps, accountId: number, nowMs: number): Promise<void> {
  for (const { publicId, disabledReason } of await selectWebhooksOf(deps.sql, accountId)) {
    if (disabledReason !== SUSPENDED) continue
    await changeWebhook(deps, { accountId, publicId }, { active: true }, nowMs)
  }
}

/** Takes all webhooks of an account away at once, with their secrets; a job deletes their rows. */
export async function removeWebhooksOf(
  { sql }: AccountDeps,
  accountId: number,
  nowMs: number,
): Promise<void> {
  for (const { id } of await selectWebhooksOf(sql, accountId))
    await markDeleted(sql, sql`w.id = ${id}`, nowMs)
}

type AccountWebhook = {
  id: number
  publicId: string
  isListener: boolean
  disabledReason: string | null
}

/** Index: webhooks_account. */
const selectWebhooksOf = (sql: Sql, accountId: number) =>
  sql<AccountWebhook[]>`
    select id, name as public_id, polled_at is not null as is_listener, disabled_reason from webhooks
     where account_id = ${accountId} and deleted_at is null
     order by id`
