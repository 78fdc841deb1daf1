import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { signatureHeaders } from '../../src/webhooks/deliver/signature.js'
import { verifyWebhook } from './verify-webhook.js'

const SECRET = 'whsec_4f1d2c3b5a69788796a5b4c3d2e1f00f'
const NOW_SECONDS = 1_790_000_000
const BODY =
  '{"id":"evt_7c1f0f6e-0b52-4d0e-9a3c-5d1f2a3b4c5d","type":"fee_earned","created_at":"2026-09-21T14:13:20.000000000+00:00","data":{"receiver":"0x00000000000000000000000000000000000000aa","fee_usd":1.25,"transaction_hash":"0xabababababababababababababababababababababababababababababababab","timestamp":"1790000000"}}'
const SIGNATURE = 'sha256=89ce0256467de241c914d2f71727266985f4ef6329859d75785ad2f8f23cb021'
const HEADERS = { 'X-Webhook-Timestamp': String(NOW_SECONDS), 'X-Webhook-Signature': SIGNATURE }
const DELIVERY = { body: BODY, headers: HEADERS, secret: SECRET, now: NOW_SECONDS * 1_000 }

describe('verifyWebhook', () => {
  test.each([
    ['text and an object', {}],
    ['bytes and Headers', { body: new TextEncoder().encode(BODY), headers: new Headers(HEADERS) }],
    ['a buffer of Node.js, part of a larger one', { body: Buffer.from(` ${BODY}`).subarray(1) }],
    ['an ArrayBuffer', { body: new TextEncoder().encode(BODY).buffer }],
    ['headers as Node.js has them', { headers: lower(HEADERS) }],
    ['a time within the tolerance', { now: (NOW_SECONDS - 299) * 1_000 }],
    ['a longer tolerance', { now: (NOW_SECONDS + 900) * 1_000, toleranceSeconds: 1_000 }],
  ])('takes the published vector: %s', async (_what, given) => {
    expect(await verifyWebhook({ ...DELIVERY, ...given })).toEqual(JSON.parse(BODY))
  })

  test.each([
    ['another body', { body: BODY.replace('1.25', '1.26') }, 'invalid_signature'],
    ['another secret', { secret: `${SECRET}0` }, 'invalid_signature'],
    ['another time', { headers: { ...HEADERS, 'X-Webhook-Timestamp': '1790000001' } }, 'invalid_signature'],
    [
      'a cut signature',
      { headers: { ...HEADERS, 'X-Webhook-Signature': SIGNATURE.slice(0, -2) } },
      'invalid_signature',
    ],
    [
      'a signature that is none',
      { headers: { ...HEADERS, 'X-Webhook-Signature': 'x' } },
      'invalid_signature',
    ],
    ['an old delivery', { now: (NOW_SECONDS + 301) * 1_000 }, 'invalid_timestamp'],
    ['one of the future', { now: (NOW_SECONDS - 301) * 1_000 }, 'invalid_timestamp'],
    ['no time', { headers: { 'x-webhook-signature': SIGNATURE } }, 'invalid_timestamp'],
    ['a time that is none', { headers: { ...HEADERS, 'X-Webhook-Timestamp': '1e9' } }, 'invalid_timestamp'],
    ['no signature', { headers: {} }, 'missing_signature'],
  ])('refuses %s', async (_what, given, code) => {
    await expect(verifyWebhook({ ...DELIVERY, ...given })).rejects.toMatchObject({
      name: 'AuspexError',
      code,
    })
  })

  test.each([SECRET, 'a secret of my own, which is no base64'])(
    'takes what the service signs with %s',
    async (secret) => {
      const event = {
        webhookId: 'wh_1',
        eventId: 'evt_1',
        eventType: 'trade',
        body: BODY,
        nowMs: DELIVERY.now,
      }
      const headers = signatureHeaders({ ...event, secret })
      expect(await verifyWebhook({ ...DELIVERY, headers, secret })).toMatchObject({ type: 'fee_earned' })
      const { 'X-Webhook-Signature': _, ...standard } = headers
      expect(await verifyWebhook({ ...DELIVERY, headers: standard, secret })).toMatchObject({
        type: 'fee_earned',
      })
      const wrong = { ...standard, 'webhook-id': 'evt_2' }
      await expect(verifyWebhook({ ...DELIVERY, headers: wrong, secret })).rejects.toMatchObject({
        code: 'invalid_signature',
      })
    },
  )

  test('takes what a library of Standard Webhooks signs, also among other signatures', async () => {
    const signature = new Webhook(SECRET).sign('evt_1', new Date(DELIVERY.now), BODY)
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(NOW_SECONDS),
      'webhook-signature': `v1,AAAA ${signature} v2,x`,
    }
    expect(await verifyWebhook({ ...DELIVERY, headers })).toMatchObject({ type: 'fee_earned' })
  })
})

function lower(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
