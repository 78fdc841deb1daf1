import { createHmac } from 'node:crypto'
import { VERSION } from '../../lib/version.js'

type SignedEvent = {
  /** `wh_…`. */
  webhookId: string
  /** With its prefix, as in the envelope. */
  eventId: string
  eventType: string
  secret: string
  /** The bytes that are sent, as text. */
  body: string
  nowMs: number
}

/**
 * The headers of an attempt. The receiver may check either of two signatures over the same body: ours
 * (`X-Webhook-…`) or that of the Standard Webhooks specification (`webhook-…`).
 */
export function signatureHeaders(event: SignedEvent): Record<string, string> {
  const { webhookId, eventId, eventType, secret, body, nowMs } = event
  const timestamp = String(Math.floor(nowMs / 1_000))
  const ours = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const standard = createHmac('sha256', standardKey(secret))
    .update(`${eventId}.${timestamp}.${body}`)
    .digest('base64')
  return {
    'Content-Type': 'application/json',
    'User-Agent': `Auspex/${VERSION}`,
    'X-Webhook-ID': webhookId,
    'X-Webhook-Event': eventType,
    'X-Webhook-Timestamp': timestamp,
    'X-Webhook-Signature': `sha256=${ours}`,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  }
}

const SECRET_PREFIX = 'whsec_'

/**
 * The key of the Standard Webhooks signature. Libraries decode what follows `whsec_` as base64, which
 * our generated hex digits are too. A customer's own secret that is no base64 is taken as it is: their
 * library has to get it as raw bytes.
 */
function standardKey(secret: string): Buffer {
  return decodeSecret(secret) ?? Buffer.from(secret, 'utf8')
}

/** The key that a Standard Webhooks library makes of a secret. `undefined`: it cannot, because it is no base64. */
export function decodeSecret(secret: string): Buffer | undefined {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret
  const decoded = Buffer.from(encoded, 'base64')
  return decoded.length > 0 && decoded.toString('base64') === encoded ? decoded : undefined
}
