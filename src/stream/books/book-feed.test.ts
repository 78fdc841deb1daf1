import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../test/until.js'
import { type BookWorld, idsOf, openBookWorld } from './test-book-world.js'

/** Windows end when the test says so. */
const BY_HAND = { windowMs: 1_000_000 }

let world: BookWorld
beforeAll(async () => {
  world = await openBookWorld()
})
afterAll(() => world.close())

type Opened = Awaited<ReturnType<BookWorld['open']>>

async function subscribe(opened: Opened, markets: readonly string[], integrity = false) {
  const client = opened.connect({ integrity })
  await client.send({ action: 'subscribe', markets })
  await client.untilType('snapshots_done')
  return client
}

test('a client that joins a stale book does not hide from others that it is stale', async (context) => {
  const opened = await world.open(context, { feed: BY_HAND })
  const [id = ''] = idsOf(world.tokens)
  const first = await subscribe(opened, [id])
  opened.feed.flush()
  opened.breakWith({ mode: 'drop' })
  await until(() => opened.books.get(id)?.state === 'stale')
  const second = await subscribe(opened, [id])
  opened.feed.flush()
  for (const { reader } of [first, second]) expect([...reader.read().stale]).toEqual([id])
  opened.breakWith({ mode: 'off' })
  await until(() => opened.books.get(id)?.state === 'live')
  opened.feed.flush()
  for (const { reader } of [first, second]) expect([...reader.read().stale]).toEqual([])
})

test('changes of a book without followers reach a client that subscribes within the flush window', async (context) => {
  const opened = await world.open(context, { feed: BY_HAND })
  const [other = '', ...ids] = idsOf(world.tokens)
  await subscribe(opened, [other])
  const gone = await subscribe(opened, ids)
  opened.feed.flush()
  await gone.send({ action: 'subscribe', markets: ids })
  await gone.untilType('snapshots_done', gone.connection.messages.length - 1)
  await world.waitSeconds(1)
  await gone.send({ action: 'unsubscribe' })
  await world.waitSeconds(20)
  for (const integrity of [false, true]) {
    const { connection, reader } = await subscribe(opened, ids, integrity)
    opened.feed.flush()
    for (const id of ids) {
      const { bids, asks } = opened.books.get(id) ?? {}
      expect(reader.levels(id)).toEqual({ bids, asks })
    }
    expect(reader.problems).toEqual([])
    expect(connection.closed).toBeUndefined()
  }
})

test('clients of all books learn that a market is not among them any more, and when it is', async (context) => {
  const ids = idsOf(world.tokens.slice(0, 4))
  const [id = ''] = ids
  let open = ids
  const opened = await world.open(context, {
    feed: { windowMs: 2 },
    books: { selectOpenTokens: async () => open, limits: { listMs: 20 } },
  })
  const all = await subscribe(opened, ['*'])
  open = ids.slice(1)
  await until(() => all.reader.read().stale.has(id))
  const notice = all.connection.messages.find(({ stale }) => stale === true)
  expect(notice).toMatchObject({ markets: [id], reason: 'not_followed' })
  open = ids
  await until(() => !all.reader.read().stale.has(id))
  await world.untilTrue(all, world.tokens.slice(0, 4))
  expect(all.reader.problems).toEqual([])
})
