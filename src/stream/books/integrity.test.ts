import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import type { Token } from '../../../sim/universe/market.js'
import { until } from '../../../test/until.js'
import { type BookWorld, idsOf, openBookWorld } from './test-book-world.js'

let world: BookWorld
beforeAll(async () => {
  world = await openBookWorld()
})
afterAll(() => world.close())

type Opened = Awaited<ReturnType<BookWorld['open']>>

const tokensFrom = (from: number, count: number) => world.tokens.slice(from, from + count)

async function subscribe(opened: Opened, tokens: readonly Token[]) {
  const client = opened.connect({ integrity: true })
  await client.send({ action: 'subscribe', markets: idsOf(tokens) })
  await client.untilType('snapshots_done')
  return client
}
const open = (context: TestContext, options?: Parameters<BookWorld['open']>[1]) =>
  world.open(context, options)

describe('integrity mode', () => {
  test('sends an anchor of every book, and proves every change of it', async (context) => {
    const opened = await open(context)
    const { tokens } = world
    const client = await subscribe(opened, tokens)
    const { messages } = client.connection
    expect(messages[0]).toEqual({
      type: 'subscribed',
      markets: tokens.length,
      resolved_from: { token_ids: tokens.length, slugs: 0, condition_ids: 0 },
      integrity: { enabled: true, protocol: 'pn1' },
    })
    const types = messages.map(({ type }) => type).filter((type) => type !== 'batch')
    expect(types).toEqual(['subscribed', ...tokens.map(() => 'book_snapshot'), 'snapshots_done'])
    for (let checkpoint = 0; checkpoint < 6; checkpoint++) {
      await world.waitSeconds(5)
      await world.untilTrue(client, tokens)
    }
    const { reader } = client
    const kinds = ['price_change', 'book_update', 'last_trade_price']
    await until(() => kinds.every((kind) => (reader.read().counts[`update ${kind}`] ?? 0) > 0))
    expect(reader.problems).toEqual([])
  })

  test('numbers changes alike for all connections, whenever they join', async (context) => {
    const opened = await open(context)
    const tokens = tokensFrom(0, 6)
    const first = await subscribe(opened, tokens)
    await world.waitSeconds(10)
    const second = await subscribe(opened, tokens)
    await world.waitSeconds(10)
    const plain = opened.connect()
    await plain.send({ action: 'subscribe', markets: idsOf(tokens) })
    await world.untilTrue(second, tokens)
    await world.untilTrue(plain, tokens)
    expect(second.connection.frames.slice(-3, -1)).toContain(first.connection.frames.at(-2))
    for (const { reader } of [first, second, plain]) expect(reader.read().problems).toEqual([])
    const anchor = second.connection.messages.find(({ type }) => type === 'book_snapshot')
    expect(anchor?.integrity).toMatchObject({ anchor: true, seq: expect.any(Number) })
    const seqs = idsOf(tokens).map((id) => second.reader.books.get(id)?.seq)
    expect(idsOf(tokens).map((id) => first.reader.read().books.get(id)?.seq)).toEqual(seqs)
  })

  test('resyncs by itself when the exchange was lost', async (context) => {
    const opened = await open(context)
    const tokens = tokensFrom(0, 5)
    const client = await subscribe(opened, tokens)
    for (const mode of ['drop', 'garbage', 'silent'] as const) {
      await world.untilTrue(client, tokens)
      opened.breakWith({ mode })
      await until(() => client.reader.read().stale.size === 5)
      opened.breakWith({ mode: 'off' })
      await until(() => client.reader.read().stale.size === 0)
    }
    await world.untilTrue(client, tokens)
    expect(client.reader.problems).toEqual([])
    const { messages } = client.connection
    const at = messages.findIndex(({ type }) => type === 'resyncing')
    const markets = messages[at]?.markets as string[]
    const types = messages.slice(at, at + markets.length + 3).map(({ type }) => type)
    const anchors = markets.map(() => 'book_snapshot')
    expect(types).toEqual(['resyncing', ...anchors, 'snapshots_done', 'stale'])
    expect(messages[at + markets.length + 1]).toMatchObject({ reason: 'resync', markets })
  })

  test('resyncs when a client asks', async (context) => {
    const opened = await open(context)
    const [first, ...others] = tokensFrom(0, 3)
    const tokens = first === undefined ? [] : [first, ...others]
    const client = await subscribe(opened, tokens)
    const { messages } = client.connection
    for (const [markets, expected] of [
      [[first?.decimal], [first?.decimal]],
      [[first?.of.conditionId, '12345678901234567890'], idsOf(first?.of.tokens ?? [])],
      [[], idsOf(tokens)],
      [undefined, idsOf(tokens)],
    ] as const) {
      const from = messages.length
      await client.send({ action: 'resync', markets })
      await client.untilType('snapshots_done', from)
      const answers = messages.slice(from).filter(({ type }) => type !== 'batch')
      const followed = expected.filter((id) => idsOf(tokens).includes(id ?? ''))
      expect(answers[0]).toEqual({ type: 'resyncing', markets: followed })
      expect(answers.slice(1, -1).map(({ asset_id }) => asset_id)).toEqual(followed)
      const total = followed.length
      const done = { type: 'snapshots_done', total, reason: 'resync', markets: followed }
      expect(answers.at(-1)).toEqual(done)
    }
    await world.untilTrue(client, tokens)
    expect(client.reader.problems).toEqual([])
  })

  test('shares its slots between accounts, and notifies clients that lose some', async (context) => {
    const opened = await open(context, { feed: { integrityTokensMax: 4 } })
    const tokens = tokensFrom(0, 4)
    const whale = await subscribe(opened, tokens)
    const plain = opened.connect()
    await plain.send({ action: 'subscribe', markets: idsOf(tokens) })
    const other = opened.connect({ integrity: true, accountId: 2 })
    await other.send({ action: 'subscribe', markets: idsOf(tokensFrom(4, 3)) })
    expect(other.connection.messages[0]).toMatchObject({ error: 'integrity_capacity', max: 4, requested: 7 })
    await other.send({ action: 'subscribe', markets: idsOf(tokensFrom(4, 2)) })
    await other.untilType('snapshots_done')
    const notice = whale.connection.messages.findLast(({ reason }) => reason === 'capacity')
    expect(notice).toMatchObject({ type: 'stale', stale: true, markets: idsOf(tokens.slice(0, 2)) })
    await whale.send({ action: 'resync', markets: idsOf(tokens.slice(0, 2)) })
    expect(whale.connection.messages.at(-1)).toMatchObject({ error: 'resync_not_subscribed' })
    await world.untilTrue(whale, tokens.slice(2))
    await world.untilTrue(other, tokensFrom(4, 2))
    await world.untilTrue(plain, tokens)
    for (const { reader } of [whale, other, plain]) expect(reader.read().problems).toEqual([])
    for (const { protocol } of [whale, other]) protocol.onClose()
    expect((await subscribe(opened, tokens)).reader.read().books.size).toBe(4)
  })

  test('ends the resync of books that are unsubscribed meanwhile', async (context) => {
    const opened = await open(context)
    const tokens = tokensFrom(0, 4)
    const client = await subscribe(opened, tokens)
    await client.send({ action: 'unsubscribe', markets: idsOf(tokens.slice(2)) })
    await world.untilTrue(client, tokens.slice(0, 2))
    await client.send({ action: 'resync' })
    await world.untilTrue(client, tokens.slice(0, 2))
    expect(client.reader.problems).toEqual([])
  })
})

describe('integrity mode refuses', () => {
  test('what it cannot do, and keeps the books that it has', async (context) => {
    const opened = await open(context, { feed: { integrityTokensMax: 7 } })
    const tokens = tokensFrom(0, 4)
    const client = await subscribe(opened, tokens)
    const { messages } = client.connection
    const answerTo = async (message: object) => {
      await client.send(message)
      return messages.findLast((answer) => 'error' in answer)
    }
    const many = Array.from({ length: 501 }, (_, index) => String(10n ** 30n + BigInt(index)))
    const firehose = await answerTo({ action: 'subscribe', markets: ['*'] })
    expect(firehose).toMatchObject({ error: 'integrity_firehose_unsupported' })
    const tooMany = await answerTo({ action: 'subscribe', markets: many })
    expect(tooMany).toMatchObject({ error: 'integrity_capacity', max: 500, requested: 501 })
    const full = await answerTo({ action: 'subscribe', markets: idsOf(tokensFrom(2, 6)) })
    expect(full).toMatchObject({ error: 'integrity_capacity', max: 7, requested: 8 })
    const unknown = await answerTo({ action: 'resync', markets: ['no-such-slug'] })
    expect(unknown).toMatchObject({ error: 'resync_resolved_empty' })
    const other = await answerTo({ action: 'resync', markets: idsOf(tokensFrom(5, 1)) })
    expect(other).toMatchObject({ error: 'resync_not_subscribed' })
    await client.untilType('batch', messages.length)
    await world.untilTrue(client, tokens)
    expect(client.reader.problems).toEqual([])
    expect((await subscribe(opened, tokensFrom(2, 5))).reader.read().books.size).toBe(5)
  })

  test('a resync while books are being sent', async (context) => {
    const opened = await open(context)
    const tokens = tokensFrom(0, 3)
    const client = opened.connect({ integrity: true })
    let resume = () => {}
    client.connection.untilDrained = () =>
      new Promise((resolve) => {
        resume = () => resolve(true)
      })
    await client.send({ action: 'subscribe', markets: idsOf(tokens) })
    await client.send({ action: 'resync', markets: idsOf(tokens) })
    expect(client.connection.messages.at(-1)).toEqual({
      error: 'resync_in_progress',
      message: expect.any(String),
      retry_after_ms: 250,
      markets: idsOf(tokens),
    })
    client.connection.untilDrained = async () => true
    await until(() => {
      resume()
      return client.connection.messages.some(({ type }) => type === 'snapshots_done')
    })
    await world.untilTrue(client, tokens)
    expect(client.reader.problems).toEqual([])
  })

  test('a resync without integrity mode', async (context) => {
    const client = (await open(context)).connect()
    await client.send({ action: 'resync' })
    expect(client.connection.messages).toEqual([
      { error: 'integrity_unavailable', message: expect.any(String) },
    ])
  })

  test('a client that does not read, and closes it', async (context) => {
    const opened = await open(context)
    const tokens = tokensFrom(0, 1)
    const client = await subscribe(opened, tokens)
    client.connection.untilDrained = () => new Promise(() => {})
    const [group] = opened.feed.groups.ofToken(idsOf(tokens)[0] ?? '') ?? []
    const [follower] = group?.members ?? []
    // However much comes at once, a client has time to read it.
    for (let sent = 0; sent < 3; sent++) follower?.deliver(Array(500).fill('{"type":"pong"}'))
    expect(client.connection.closed).toBeUndefined()
    if (follower !== undefined) {
      for (let sent = 0; sent < 100; sent++) follower.deliver(['{"type":"pong"}'])
    }
    const error = { error: 'integrity_backpressure', message: expect.any(String) }
    expect(client.connection.messages.filter((message) => 'error' in message)).toEqual([error])
    expect(client.connection.closed).toMatchObject({ code: 1013 })
    expect(opened.feed.groups.isEmpty).toBe(true)
  })

  test('to go on when what was published is not the book any more', async (context) => {
    const opened = await open(context)
    const tokens = tokensFrom(0, 2)
    const client = await subscribe(opened, tokens)
    const other = await subscribe(opened, tokensFrom(2, 1))
    const [tokenId = ''] = idsOf(tokens)
    await until(() => {
      // Changes that no message reports, again and again: the next whole book corrects them.
      opened.books.get(tokenId)?.setLevel('BUY', '0.0001', '5')
      return client.connection.closed !== undefined
    })
    expect(client.connection.messages.at(-1)).toMatchObject({
      error: 'integrity_internal_reset',
      markets: [tokenId],
    })
    expect(client.connection.closed).toMatchObject({ code: 1011 })
    await world.untilTrue(other, tokensFrom(2, 1))
  })
})

test('a window that is too large goes on in the next, book by book', async (context) => {
  const opened = await open(context, { feed: { windowCharactersMax: 500, windowMs: 5 } })
  const tokens = tokensFrom(0, 6)
  const proven = await subscribe(opened, tokens)
  const plain = opened.connect()
  await plain.send({ action: 'subscribe', markets: idsOf(tokens) })
  await plain.untilType('snapshots_done')
  for (const client of [proven, plain]) {
    await client.untilType('batch', client.connection.messages.length)
    await world.untilTrue(client, tokens)
    expect(client.reader.problems).toEqual([])
    const batches = client.connection.messages.filter(({ type }) => type === 'batch')
    const sizes = batches.map(({ updates }) => new Set((updates as object[]).map(tokenOf)).size)
    expect(Math.max(...sizes)).toBeLessThan(tokens.length)
  }
})

const tokenOf = (update: { asset_id?: string; assets?: { asset_id: string }[] }) =>
  update.asset_id ?? update.assets?.[0]?.asset_id
