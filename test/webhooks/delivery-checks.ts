import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'
import { problemsOfEnvelope } from './payload-shapes.js'
import type { ReceivedRequest } from './receiver.js'

type SignedBy = {
  /** Of the webhook: `wh_…`. */
  webhookId: string
  secret: string
  /** The time of the service, which a test may move. */
  nowMs: number
}

/** Like the library. */
const CLOCKS_APART_SEC_MAX = 300

/** Everything that is wrong with a delivery: its headers, both signatures and its payload. */
export function problemsOfDelivery(request: ReceivedRequest, by: SignedBy): string[] {
  const { headers, envelope } = request
  const expected: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'x-webhook-id': by.webhookId,
    'x-webhook-event': envelope.type,
    'webhook-id': envelope.id,
    'webhook-timestamp': headers['x-webhook-timestamp'],
    'x-webhook-signature': sign(request, by.secret),
  }
  const wrong = Object.entries(expected)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name, value]) => `${name} must be ${value}, not ${headers[name]}`)
  const apartSec = Math.abs(Number(headers['x-webhook-timestamp']) - by.nowMs / 1000)
  if (!(apartSec <= CLOCKS_APART_SEC_MAX)) wrong.push(`the timestamp is ${apartSec} s off`)
  if (!/^auspex/i.test(headers['user-agent'] ?? '')) wrong.push('user-agent must name the service')
  return [...wrong, ...problemsOfLibrary(request, by), ...problemsOfEnvelope(envelope)]
}

/** The specification's signature: HMAC-SHA256 over `<timestamp>.<body>`, keyed with the whole secret. */
function sign({ headers, body }: ReceivedRequest, secret: string): string {
  const hmac = createHmac('sha256', secret)
  hmac.update(`${headers['x-webhook-timestamp']}.${body}`)
  return `sha256=${hmac.digest('hex')}`
}

/** What a published library says of the delivery. */
function problemsOfLibrary({ headers, body }: ReceivedRequest, by: SignedBy): string[] {
  // The library compares timestamps with the clock of this process.
  vi.useFakeTimers({ toFake: ['Date'], now: by.nowMs })
  try {
    new Webhook(by.secret).verify(body, headers)
    return []
  } catch (error) {
    return [`the Standard Webhooks library refuses it: ${error}`]
  } finally {
    vi.useRealTimers()
  }
}
