import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { counts } from '../../../test/counts.js'
import { until } from '../../../test/until.js'
import {
  type Answer,
  type Certificate,
  openReceiver as openTestReceiver,
  type Receiver,
  type ReceiverOptions,
  readTestAuthority,
} from '../../../test/webhooks/receiver.js'
import { checkWebhookUrl } from './address-guard.js'
import { Sender, type SenderOptions } from './sender.js'

const LOOPBACK = ['127.0.0.0/8', '::1']

let closers: (() => unknown)[] = []
beforeEach(() => {
  closers = []
})
afterEach(async () => {
  for (const close of closers.reverse()) await close()
})

async function openReceiver(options?: ReceiverOptions): Promise<Receiver> {
  const receiver = await openTestReceiver(options)
  closers.push(receiver.close)
  return { ...receiver, url: `${receiver.url}/hook` }
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
        'x-webhook-hop': '1',
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
    [{ headers: { 'x-large': 'x'.repeat(20_000) } }, undefined, 'headers of the answer are too large'],
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

describe('malformed answers end the attempt in time, as a success or a failure', () => {
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
  const informational = 'HTTP/1.1 103 Early Hints\r\n\r\n'

  test.each<[what: string, raw: string, statusCode: number | undefined, error: string | undefined]>([
    ['hints before the answer', informational.repeat(50) + OK, 200, undefined],
    ['hints and no answer', informational.repeat(50), undefined, 'timeout'],
    ['two answers', OK + OK, 200, undefined],
    ['an answer and rubbish', `${OK}rubbish`, 200, undefined],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n', 200, undefined],
    ['no body that was announced', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', 200, undefined],
    ['half a status line', 'HTTP/1.1 2', undefined, 'timeout'],
    ['a status of nonsense', 'HTTP/1.1 abc OK\r\n\r\n', undefined, 'not an HTTP answer'],
    [
      'another protocol',
      'HTTP/1.1 101 No\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n',
      undefined,
      'connection closed without an answer',
    ],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', undefined, 'not an HTTP answer'],
    ['a bad chunk', 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 500, 'http 500'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na',
      undefined,
      'not an HTTP answer',
    ],
  ])('%s', async (_what, raw, statusCode, error) => {
    const receiver = await openReceiver({ answer: { raw } })
    const result = await openSender({ timeoutMs: 200 }).send(requestTo(receiver.url))
    expect(result).toMatchObject({ success: error === undefined, statusCode, error })
  })
})

describe('certificates', () => {
  const resolve = async () => ['127.0.0.1']
  const urlOf = ({ port }: Receiver) => `https://hooks.example.com:${port}/`

  test('a good one is accepted, and the host is named in the handshake', async () => {
    const receiver = await openReceiver({ certificate: 'good' })
    const sender = openSender({ ca: readTestAuthority(), resolve })
    expect(await sender.send(requestTo(urlOf(receiver)))).toMatchObject({ success: true })
    expect(await sender.send(requestTo(receiver.url))).toMatchObject({ success: true })
  })

  test.each<[Certificate, error: string]>([
    ['expired', 'tls failure: certificate has expired'],
    ['other-host', 'tls failure: certificate is for another host'],
    ['self-signed', 'tls failure: self-signed certificate'],
  ])('%s: refused before anything is sent', async (certificate, error) => {
    const receiver = await openReceiver({ certificate })
    const sender = openSender({ ca: readTestAuthority(), resolve })
    const result = await sender.send(requestTo(urlOf(receiver)))
    expect(result).toMatchObject({ success: false, statusCode: undefined, error })
    expect(receiver.requests).toEqual([])
  })

  test('of an authority that is not known: refused', async () => {
    const receiver = await openReceiver({ certificate: 'good' })
    const result = await openSender({ resolve }).send(requestTo(urlOf(receiver)))
    expect(result.error).toBe('tls failure: certificate of an unknown authority')
    expect(receiver.requests).toEqual([])
  })

  test('a receiver that speaks no TLS', async () => {
    const receiver = await openReceiver()
    const result = await openSender({ resolve }).send(requestTo(urlOf(receiver)))
    expect(result.error).toBe('tls failure: the receiver does not speak TLS')
  })
})

describe('addresses', () => {
  test('a name that changes its address after the check leads nowhere', async () => {
    const receiver = await openReceiver()
    const answers = [['93.184.216.34'], ['127.0.0.1']]
    const resolve = async () => answers.shift() ?? []
    const url = `https://hooks.example.com:${receiver.port}/`
    expect(await checkWebhookUrl(url, [], resolve)).toBeUndefined()
    const result = await openSender({ networks: [], resolve }).send(requestTo(url))
    expect(result).toMatchObject({ success: false, error: 'address not allowed' })
    expect(answers).toEqual([])
    expect(receiver.connectionCount()).toBe(0)
  })

  test('the address that was checked is dialled: the name is resolved once', async () => {
    const receiver = await openReceiver()
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['10.0.0.1']]
    const sender = openSender({ resolve: async () => answers.shift() ?? [] })
    const url = `http://hooks.example.com:${receiver.port}/`
    expect(await sender.send(requestTo(url))).toMatchObject({ success: true })
    expect(answers).toHaveLength(2)
    expect(receiver.requests[0]?.headers.host).toBe(`hooks.example.com:${receiver.port}`)
  })

  test.each([
    ['one of its addresses is inside', ['93.184.216.34', '10.0.0.1']],
    ['an address in another form', ['::ffff:10.0.0.1']],
  ])('%s', async (_why, addresses) => {
    const sender = openSender({ networks: [], resolve: async () => addresses })
    const result = await sender.send(requestTo('https://hooks.example.com/'))
    expect(result).toMatchObject({ success: false, error: 'address not allowed' })
  })

  test.each(['http://127.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/', 'nonsense', ''])(
    'a stored URL is judged again: %s',
    async (url) => {
      const result = await openSender({ networks: [] }).send(requestTo(url))
      expect(result).toMatchObject({ success: false, error: 'address not allowed' })
    },
  )

  test('a redirect into the inside is not followed', async () => {
    const inside = await openReceiver()
    const answer = { status: 302, headers: { location: inside.url } }
    const outside = await openReceiver({ answer })
    const result = await openSender().send(requestTo(outside.url))
    expect(result).toMatchObject({ success: false, statusCode: 302, error: 'http 302' })
    expect(inside.connectionCount()).toBe(0)
  })

  test('the next address is tried where one refuses', async () => {
    const receiver = await openReceiver()
    const sender = openSender({ resolve: async () => ['127.0.0.2', '127.0.0.1'] })
    const url = `http://hooks.example.com:${receiver.port}/`
    expect(await sender.send(requestTo(url))).toMatchObject({ success: true })
  })

  test('no address, no name server that answers, no listener', async () => {
    const url = 'https://hooks.example.com/'
    const unknown = openSender({ resolve: async () => [] })
    expect((await unknown.send(requestTo(url))).error).toBe('dns failure')
    const failing = openSender({ resolve: () => Promise.reject(new Error('SERVFAIL')) })
    expect((await failing.send(requestTo(url))).error).toBe('dns failure')
    const silent = openSender({ resolve: () => new Promise(() => undefined), timeoutMs: 100 })
    expect((await silent.send(requestTo(url))).error).toBe('timeout')
    const gone = await openReceiver()
    await gone.close()
    expect((await openSender().send(requestTo(gone.url))).error).toBe('connection refused')
  })
})

describe('connections', () => {
  test('one is used again, and as many as requests at once are opened', async () => {
    const receiver = await openReceiver()
    const sender = openSender()
    for (let i = 0; i < 5; i += 1) await sender.send(requestTo(receiver.url))
    expect(receiver.connectionCount()).toBe(1)
    await Promise.all(Array.from({ length: 30 }, () => sender.send(requestTo(receiver.url))))
    expect(receiver.requests).toHaveLength(35)
    expect(receiver.connectionCount()).toBe(30)
    expect(sender.idleCounts).toEqual({ connections: 30, origins: 1 })
    expect(receiver.openCount()).toBe(30)
  })

  test('one that the receiver closes is not used again', async () => {
    const receiver = await openReceiver({ answer: { headers: { connection: 'close' } } })
    const sender = openSender()
    for (let i = 0; i < 5; i += 1) {
      expect(await sender.send(requestTo(receiver.url))).toMatchObject({ success: true })
    }
    expect(receiver.connectionCount()).toBe(5)
    expect(sender.idleCounts.connections).toBe(0)
    await until(() => sender.idleCounts.origins === 0)
  })

  test('one that ended while it was idle costs no attempt', async () => {
    const receiver = await openReceiver()
    const sender = openSender()
    for (let i = 0; i < 20; i += 1) {
      expect(await sender.send(requestTo(receiver.url))).toMatchObject({ success: true })
      receiver.endConnections()
      await until(() => sender.idleCounts.connections === 0)
    }
    expect(receiver.requests).toHaveLength(20)
  })

  test('idle ones end after a few seconds', async () => {
    const receiver = await openReceiver({ answer: { headers: { 'keep-alive': 'timeout=3' } } })
    const sender = openSender()
    await sender.send(requestTo(receiver.url))
    expect(sender.idleCounts.connections).toBe(1)
    await until(() => receiver.openCount() === 0)
    expect(sender.idleCounts).toEqual({ connections: 0, origins: 0 })
  })

  test('attempts that fail leave none open', async () => {
    const answers: Answer[] = ['hang', 'drip-headers', 'drip-body', 'gigabytes', 'cut', 'no-http']
    const receiver = await openReceiver({ answer: (_, index) => answers[index % 6] ?? 500 })
    const sender = openSender({ timeoutMs: 200 })
    await Promise.all(answers.map(() => sender.send(requestTo(receiver.url))))
    await until(() => receiver.openCount() === 0)
    expect(sender.idleCounts).toEqual({ connections: 0, origins: 0 })
  })

  test('any number of origins leaves few of them', async () => {
    const receiver = await openReceiver()
    const sender = openSender({ resolve: async () => ['127.0.0.1'] })
    const total = counts({ short: 700, long: 100_000 })
    for (let done = 0; done < total; done += 50) {
      const sends = Array.from({ length: 50 }, (_, i) =>
        sender.send(requestTo(`http://h${done + i}.example.com:${receiver.port}/`)),
      )
      const results = await Promise.all(sends)
      expect(results.every(({ success }) => success)).toBe(true)
      receiver.requests.length = 0
    }
    expect(receiver.connectionCount()).toBe(total)
    expect(sender.idleCounts.connections).toBeLessThanOrEqual(500)
    expect(sender.idleCounts.origins).toBeLessThanOrEqual(500)
    sender.close()
    await until(() => receiver.openCount() === 0)
  }, 300_000)
})

describe('memory', () => {
  test('of gigabytes, little is read', async () => {
    const receiver = await openReceiver({ answer: 'gigabytes' })
    const sender = openSender()
    for (let i = 0; i < 20; i += 1) {
      expect(await sender.send(requestTo(receiver.url))).toMatchObject({ success: true })
    }
    await until(() => receiver.openCount() === 0)
    // What the sockets' buffers take, beyond the 64 KiB of each.
    expect(receiver.sentBytes()).toBeLessThan(20 * 8 * 1024 * 1024)
  })

  test('a compressed body is not unpacked', async () => {
    const body = gzipSync(Buffer.alloc(50_000_000))
    const headers = { 'content-encoding': 'gzip' }
    const receiver = await openReceiver({ answer: { headers, body } })
    expect(await openSender().send(requestTo(receiver.url))).toMatchObject({ success: true })
    expect(receiver.requests[0]?.headers['accept-encoding']).toBeUndefined()
  })
})

describe('a stop', () => {
  test('ends an attempt: before it, while it connects, while it waits', async () => {
    const receiver = await openReceiver({ answer: 'hang' })
    const expected = { success: false, statusCode: undefined, error: 'interrupted' }
    const sender = openSender()
    expect(await sender.send(requestTo(receiver.url), AbortSignal.abort())).toMatchObject(expected)
    expect(receiver.connectionCount()).toBe(0)

    const resolving = new AbortController()
    const slow = openSender({ resolve: () => new Promise(() => undefined) })
    const unresolved = slow.send(requestTo('https://hooks.example.com/'), resolving.signal)
    resolving.abort()
    expect(await unresolved).toMatchObject(expected)

    const waiting = new AbortController()
    const unanswered = sender.send(requestTo(receiver.url), waiting.signal)
    await until(() => receiver.requests.length === 1)
    waiting.abort()
    expect(await unanswered).toMatchObject(expected)
    await until(() => receiver.openCount() === 0)
  })

  test('closing ends all attempts and connections, and there are none afterwards', async () => {
    const receiver = await openReceiver({ answer: (_, index) => (index === 0 ? 200 : 'hang') })
    const sender = openSender()
    await sender.send(requestTo(receiver.url))
    const unanswered = [1, 2, 3].map(() => sender.send(requestTo(receiver.url)))
    await until(() => receiver.requests.length === 4)
    sender.close()
    for (const result of await Promise.all(unanswered)) expect(result.error).toBe('interrupted')
    expect((await sender.send(requestTo(receiver.url))).error).toBe('interrupted')
    await until(() => receiver.openCount() === 0)
  })
})
