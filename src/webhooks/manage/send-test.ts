import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.js'
import { toNanosecondText } from '../../core/unix-time.js'
import { transact } from '../../store/transaction.js'
import type { AttemptResult } from '../deliver/delivery.js'
import type { Sender } from '../deliver/sender.js'
import { signatureHeaders } from '../deliver/signature.js'
import { insertTestAttempt } from './delivery-queries.js'
import { selectSecret, selectWebhook, type WebhookKey } from './queries.js'
import { takeAllowance } from './send-again.js'
import { noWebhook } from './webhook-registry.js'

const MESSAGE = 'This is a test delivery. Your webhook works.'

type TestParts = Pick<Context, 'sql' | 'secretBox' | 'clock' | 'plans'> & { sender: Sender }

/** Sends an event that did not happen, once, whether or not the webhook is active. */
export async function sendTest(parts: TestParts, key: WebhookKey): Promise<AttemptResult> {
  const { sql, secretBox, clock, plans, sender } = parts
  const webhook = await selectWebhook(sql, key)
  const encrypted = await selectSecret(sql, key)
  const eventType = webhook?.eventTypes[0]
  if (webhook === undefined || encrypted === undefined || eventType === undefined) throw noWebhook()
  const secret = await secretBox.decrypt(encrypted, key.name)
  const nowMs = clock.now()
  await transact(sql, (tx) => takeAllowance(tx, { accountId: key.accountId, plans, nowMs }))

  const uuid = randomUUID()
  const eventId = `test_${uuid}`
  const body = JSON.stringify({
    id: eventId,
    type: eventType,
    created_at: toNanosecondText(nowMs),
    data: { test: true, message: MESSAGE },
  })
  const headers = signatureHeaders({ webhookName: key.name, eventId, eventType, secret, body, nowMs })
  const result = await sender.send({ url: webhook.url, headers, body })
  await insertTestAttempt(sql, { webhook: webhook.id, eventId: uuid, eventType, result, nowMs })
  return result
}
