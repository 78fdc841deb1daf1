import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { VERSION } from '../../lib/version.js'
import { signatureHeaders } from './signature.js'

const BODY =
  '{"id":"evt_7c1f0f6e-0b52-4d0e-9a3c-5d1f2a3b4c5d","type":"fee_earned","created_at":"2026-09-21T14:13:20.000000000+00:00","data":{"receiver":"0x00000000000000000000000000000000000000aa","fee_usd":1.25,"transaction_hash":"0xabababababababababababababababababababababababababababababababab","timestamp":"1790000000"}}'

const EVENT = {
  webhookId: 'wh_7f3a09c1d2e4',
  eventId: 'evt_7c1f0f6e-0b52-4d0e-9a3c-5d1f2a3b4c5d',
  eventType: 'fee_earned',
  secret: 'whsec_4f1d2c3b5a69788796a5b4c3d2e1f00f',
  body: BODY,
  nowMs: 1_790_000_000_999,
}

test('the headers of an attempt, with the signature of the published example', () => {
  expect(signatureHeaders(EVENT)).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': `Auspex/${VERSION}`,
    'X-Webhook-ID': 'wh_7f3a09c1d2e4',
    'X-Webhook-Event': 'fee_earned',
    'X-Webhook-Timestamp': '1790000000',
    'X-Webhook-Signature': 'sha256=89ce0256467de241c914d2f71727266985f4ef6329859d75785ad2f8f23cb021',
    'webhook-id': 'evt_7c1f0f6e-0b52-4d0e-9a3c-5d1f2a3b4c5d',
    'webhook-timestamp': '1790000000',
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  })
})

describe('a published Standard Webhooks library', () => {
  const signNow = (secret: string, body: string) =>
    signatureHeaders({ ...EVENT, secret, body, nowMs: Date.now() })

  const hex = fc.string({
    unit: fc.constantFrom(...'0123456789abcdef'),
    minLength: 32,
    maxLength: 32,
  })

  test('verifies every generated secret and body', () => {
    fc.assert(
      fc.property(hex, fc.json(), (digits, body) => {
        const secret = `whsec_${digits}`
        new Webhook(secret).verify(body, signNow(secret, body))
      }),
    )
  })

  const anySecret = fc.oneof(
    fc.string({ minLength: 16, maxLength: 128 }),
    fc.base64String({ minLength: 16, maxLength: 128 }),
    fc.string({ unit: fc.constantFrom(...'abcXYZ019+/=-_'), minLength: 16, maxLength: 40 }),
  )

  test('verifies a secret of a customer: as base64 if it is that, else as raw bytes', () => {
    fc.assert(
      fc.property(anySecret, fc.boolean(), (text, hasPrefix) => {
        const secret = hasPrefix ? `whsec_${text}` : text
        const raw = () => new Webhook(new TextEncoder().encode(secret), { format: 'raw' })
        const library = isBase64(secret.replace(/^whsec_/, '')) ? new Webhook(secret) : raw()
        library.verify('{}', signNow(secret, '{}'))
      }),
      { numRuns: 1_000 },
    )
  })

  test('refuses another body and another secret', () => {
    const headers = signNow(EVENT.secret, '{"a":1}')
    expect(() => new Webhook(EVENT.secret).verify('{"a":2}', headers)).toThrow()
    expect(() => new Webhook(`whsec_${'0'.repeat(32)}`).verify('{"a":1}', headers)).toThrow()
  })
})

/** With its padding, as encoders write it. */
const isBase64 = (text: string) =>
  /^(?:[\w+/]{4})*(?:[\w+/]{4}|[\w+/][AQgw]==|[\w+/]{2}[AEIMQUYcgkosw048]=)$/.test(text) &&
  !text.includes('_')
