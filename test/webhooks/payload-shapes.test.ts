import { expect, test } from 'vitest'
import { problemsOfDelivery } from './delivery-checks.js'
import { EVENT_TYPE_NAMES, problemsOfEnvelope } from './payload-shapes.js'
import { openReceiver } from './receiver.js'

/** The test vector of the reference. */
const SECRET = 'whsec_4f1d2c3b5a69788796a5b4c3d2e1f00f'
const SIGNED_SEC = 1_790_000_000
const BODY =
  '{"id":"evt_7c1f0f6e-0b52-4d0e-9a3c-5d1f2a3b4c5d","type":"fee_earned","created_at":"2026-09-21T14:13:20.000000000+00:00","data":{"receiver":"0x00000000000000000000000000000000000000aa","fee_usd":1.25,"transaction_hash":"0xabababababababababababababababababababababababababababababababab","timestamp":"1790000000"}}'
const SIGNATURE = 'sha256=89ce0256467de241c914d2f71727266985f4ef6329859d75785ad2f8f23cb021'

test('there are sixteen types', () => {
  expect(EVENT_TYPE_NAMES.length).toBe(16)
})

test('the payload of the reference is as it must be, and a spoiled one is not', () => {
  const envelope = JSON.parse(BODY)
  expect(problemsOfEnvelope(envelope)).toEqual([])
  const spoiled = [
    { ...envelope, id: envelope.id.slice(4) },
    { ...envelope, type: 'fee' },
    { ...envelope, created_at: '2026-09-21T14:13:20.000Z' },
    { ...envelope, data: { ...envelope.data, fee_usd: '1.25' } },
    { ...envelope, data: { ...envelope.data, timestamp: 1_790_000_000 } },
    { ...envelope, data: { ...envelope.data, receiver: undefined } },
    { ...envelope, data: { ...envelope.data, surprise: 1 } },
  ]
  for (const each of spoiled) expect(problemsOfEnvelope(each).length).toBeGreaterThan(0)
})

test('the signature of the reference is right, and another one is not', async () => {
  const receiver = await openReceiver()
  const headers = {
    'content-type': 'application/json',
    'x-webhook-timestamp': String(SIGNED_SEC),
    'x-webhook-signature': SIGNATURE,
  }
  await fetch(receiver.url, { method: 'POST', headers, body: BODY })
  await receiver.close()
  const [request] = receiver.requests
  const by = { webhookId: 'wh_0123456789ab', nowMs: SIGNED_SEC * 1000 }
  const signatureProblems = (secret: string) =>
    problemsOfDelivery(request ?? expect.fail('it came'), { ...by, secret }).filter((problem) =>
      problem.startsWith('x-webhook-signature'),
    )
  expect(signatureProblems(SECRET)).toEqual([])
  expect(signatureProblems(`${SECRET}0`).length).toBe(1)
})
