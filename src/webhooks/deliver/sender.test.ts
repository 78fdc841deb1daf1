import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Answer,
  type ReceiverOptions,
  readTestAuthority,
  type ScriptedReceiver,
  startScriptedReceiver,
} from '../../../test/webhooks/scripted-receiver.js'
import { Sender, type SenderOptions } from './sender.js'

const LOOPBACK = ['127.0.0.0/8', '::1']

let closers: (() => unknown)[] = []
beforeEach(() => {
  closers = []
})
afterEach(async () => {
  for (const close of closers.reverse()) await close()
})

async function openReceiver(options?: ReceiverOptions): Promise<ScriptedReceiver> {
  const receiver = await startScriptedReceiver(options)
  closers.push(receiver.close)
  return receiver
}

function openSender(options: Partial<SenderOptions> = {}): Sender {
  const sender = new Sender({ networks: LOOPBACK, ...options })
  closers.push(() => sender.close())
  return sender
}

const requestTo = (url: string) => ({
  url,
  headers: { 'Content-Type': 'application/json', 'X-Webhook-Event': 'trade' },
  body: '{"text":"ü"}',
})

describe('an attempt', () => {
  test('posts the body and the headers, and says how it went', async () => {
    const receiver = await openReceiver()
    const result = await openSender().send(requestTo(`${receiver.url}?a=b%20c`))
    expect(result).toEqual({
      success: true,
      statusCode: 200,
      latencyMs: expect.any(Number),
      error: undefined,
    })
    expect(receiver.requests).toHaveLength(1)
    expect(receiver.requests[0]).toMatchObject({
      method: 'POST',
      path: '/hook?a=b%20c',
      headers: {
        host: `127.0.0.1:${receiver.port}`,
        'content-type': 'application/json',
        'x-webhook-event': 'trade',
      },
      body: '{"text":"ü"}',
    })
  })

  test.each<[answer: Answer, statusCode: number | undefined, error: string | undefined]>([
    [204, 204, undefined],
    [299, 299, undefined],
    [{ status: 301, headers: { location: '/elsewhere' } }, 301, 'http 301'],
    [{ status: 307, headers: { location: '/elsewhere' } }, 307, 'http 307'],
    [410, 410, 'http 410'],
    [{ status: 429, headers: { 'retry-after': '9999' } }, 429, 'http 429'],
    [{ status: 500, body: 'x'.repeat(1_000_000) }, 500, 'http 500'],
    ['close', undefined, 'connection closed without an answer'],
    ['reset', undefined, 'connection reset'],
    ['no-http', undefined, 'not an HTTP answer'],
    [
      { headers: { 'x-large': 'x'.repeat(20_000) } },
      undefined,
      'headers of the answer are too large',
    ],
    ['gigabytes', 200, undefined],
    ['cut', 200, undefined],
  ])('answer %o', async (answer, statusCode, error) => {
    const receiver = await openReceiver({ answer })
    const result = await openSender().send(requestTo(receiver.url))
    expect(result).toMatchObject({ success: error === undefined, statusCode, error })
    expect(receiver.requests).toHaveLength(1)
  })

  test.each<[answer: Answer, statusCode: number | undefined, error: string | undefined]>([
    ['hang', undefined, 'timeout'],
    ['drip-headers', undefined, 'timeout'],
    ['drip-body', 200, undefined],
  ])('ends in time: answer %o', async (answer, statusCode, error) => {
    const receiver = await openReceiver({ answer })
    const startedMs = performance.now()
    const result = await openSender({ timeoutMs: 300 }).send(requestTo(receiver.url))
    expect(result).toMatchObject({ success: error === undefined, statusCode, error })
    expect(performance.now() - startedMs).toBeLessThan(2_000)
  })
})

describe('certificates', () => {
  test('a good one is accepted', async () => {
    const receiver = await openReceiver({ certificate: 'good' })
    const sender = openSender({ ca: readTestAuthority() })
    expect(await sender.send(requestTo(receiver.url))).toMatchObject({ success: true })
  })
})
