import { describe, expect, test } from 'vitest'
import { pn1Checksum } from '../../test/strict-client/pn1.js'
import { until } from '../../test/until.js'
import { connectClient, listenSocket, type TestConnection, take } from './test-socket-server.js'

const checksumOf = (bids: Record<string, string>, asks: Record<string, string> = {}) =>
  pn1Checksum(new Map(Object.entries(bids)), new Map(Object.entries(asks)))
const toLevels = (levels: Record<string, string>) =>
  Object.entries(levels).map(([price, size]) => ({ price, size }))

function anchor(
  tokenId: string,
  bids: Record<string, string>,
  more: { seq?: number; checksum?: string } = {},
) {
  const integrity = { protocol: 'pn1', anchor: true, seq: 10, checksum: checksumOf(bids), ...more }
  return {
    type: 'book_snapshot',
    asset_id: tokenId,
    market: '0xc',
    bids: toLevels(bids),
    asks: [],
    integrity,
  }
}

/** The size of one bid changes, and this is the book after it. */
function change(
  tokenId: string,
  seq: number,
  [price, size]: [string, string],
  after: Record<string, string>,
) {
  const integrity = { protocol: 'pn1', prev_seq: seq - 1, seq, checksum: checksumOf(after) }
  const asset = { asset_id: tokenId, price, size, side: 'BUY' }
  return { type: 'price_change', asset_id: tokenId, market: '0xc', assets: [asset], integrity }
}

const batch = (...updates: object[]) => ({ type: 'batch', ts: 1, count: updates.length, updates })
const done = (reason?: string) => ({ type: 'snapshots_done', total: 1, ...(reason && { reason }) })

/** Acknowledges a list, and sends the anchor of each of its books. */
function open(connection: TestConnection, markets: unknown, bids = { '0.5': '10' }): void {
  const tokenIds = markets as string[]
  connection.send({ type: 'subscribed', markets: tokenIds.length })
  connection.send(...tokenIds.map((tokenId) => anchor(tokenId, bids)), done())
}

test('books are proven, kept up to date and yielded when they change', async () => {
  const { baseUrl, urls, received } = await listenSocket((connection, { markets }) => {
    open(connection, markets)
    const trade = { type: 'last_trade_price', asset_id: '71' }
    connection.send(
      batch(change('71', 11, ['0.4', '3.50'], { '0.5': '10', '0.4': '3.5' }), trade),
      batch(change('71', 12, ['0.5', '0'], { '0.4': '3.5' })),
    )
  })
  const books = connectClient(baseUrl).client.books(['71', '72'])
  expect(books.get('71')).toMatchObject({ bids: [], isStale: true, staleReason: 'loading' })
  await until(() => books.get('71')?.seq === 12)
  expect(books.get('71')).toEqual({
    tokenId: '71',
    bids: [{ price: '0.4', size: '3.5' }],
    asks: [],
    isStale: false,
    staleReason: undefined,
    hash: checksumOf({ '0.4': '3.5' }),
    seq: 12,
    market: '0xc',
  })
  expect(books.get('73')).toBeUndefined()
  // Each book once, as it is now: the reader was late.
  expect((await take(books, 2)).map(({ tokenId, seq }) => [tokenId, seq])).toEqual([
    ['71', 12],
    ['72', 10],
  ])
  expect(received).toEqual([{ action: 'subscribe', markets: ['71', '72'] }])
  expect(urls.map(({ pathname, search }) => pathname + search)).toEqual(['/ws/orderbook?integrity=1&key=k'])
})

test('levels of a book_update are set on both sides', async () => {
  const { baseUrl } = await listenSocket((connection, { markets }) => {
    open(connection, markets)
    const integrity = { prev_seq: 10, seq: 11, checksum: checksumOf({ '0.4': '1' }, { '0.6': '2' }) }
    const bids = toLevels({ '0.5': '0', '0.4': '1' })
    connection.send(
      batch({ type: 'book_update', asset_id: '71', bids, asks: toLevels({ '0.6': '2' }), integrity }),
    )
  })
  const books = connectClient(baseUrl).client.books(['71'])
  await until(() => books.get('71')?.seq === 11)
  expect(books.get('71')).toMatchObject({
    bids: [{ price: '0.4', size: '1' }],
    asks: [{ price: '0.6', size: '2' }],
    isStale: false,
  })
})

describe('a book that is not right', () => {
  test.each<[string, (connection: TestConnection) => void]>([
    ['a checksum differs', ({ send }) => send(batch(change('71', 11, ['0.4', '1'], { '0.5': '10' })))],
    [
      'a number is missing',
      ({ send }) => send(batch(change('71', 12, ['0.4', '1'], { '0.5': '10', '0.4': '1' }))),
    ],
    ['an anchor differs', ({ send }) => send(anchor('71', { '0.5': '10' }, { checksum: checksumOf({}) }))],
  ])('%s: it is stale and asked for again', async (_what, spoil) => {
    let resync = (): void => undefined
    const { baseUrl, received } = await listenSocket((connection, { action, markets }) => {
      if (action === 'resync') {
        resync = () => {
          connection.send(
            { type: 'resyncing', markets },
            anchor('71', { '0.3': '1' }, { seq: 40 }),
            done('resync'),
          )
        }
        return
      }
      open(connection, markets)
      spoil(connection)
      // It does not fit either, and is of no interest before the anchor.
      connection.send(batch(change('71', 30, ['0.1', '1'], {})))
    })
    const books = connectClient(baseUrl).client.books(['71', '72'])
    await until(() => received.length === 2)
    expect(received[1]).toEqual({ action: 'resync', markets: ['71'] })
    expect(books.get('71')).toMatchObject({ isStale: true, staleReason: 'mismatch' })
    expect(books.get('72')).toMatchObject({ isStale: false })
    resync()
    await until(() => books.get('71')?.isStale === false)
    expect(books.get('71')).toMatchObject({ seq: 40, bids: [{ price: '0.3', size: '1' }] })
    expect(received).toHaveLength(2)
  })

  test('it is asked for again when the service was busy', async () => {
    const { baseUrl, received } = await listenSocket((connection, { action, markets }) => {
      if (action === 'subscribe') {
        open(connection, markets)
        connection.send(batch(change('71', 12, ['0.4', '1'], {})))
      } else if (received.length === 2) {
        connection.send({ error: 'resync_in_progress', message: 'Wait.', retry_after_ms: 250 })
      } else connection.send({ type: 'resyncing', markets }, anchor('71', {}), done('resync'))
    })
    const { client, waits } = connectClient(baseUrl)
    const books = client.books(['71'])
    await until(() => received.length === 3 && books.get('71')?.isStale === false)
    expect(waits).toEqual([250])
  })

  test('the service says so, and when it is right again', async () => {
    let say: TestConnection['send'] = () => undefined
    const { baseUrl } = await listenSocket((connection, { markets }) => {
      open(connection, markets)
      connection.send({ type: 'stale', stale: true, markets: ['71'], reason: 'silent', ts: 1 })
      say = connection.send
    })
    const books = connectClient(baseUrl).client.books(['71', '72'])
    await until(() => books.get('71')?.staleReason === 'silent')
    expect(books.get('72')?.isStale).toBe(false)
    say({ type: 'resyncing', markets: ['71'] }, anchor('71', { '0.2': '2' }, { seq: 20 }), done('resync'))
    say({ type: 'stale', stale: false, markets: ['71'], ts: 2 })
    await until(() => books.get('71')?.isStale === false)
    expect(books.get('71')?.seq).toBe(20)
  })

  test('it lost its slot: it is named again later, also after a refusal', async () => {
    const { baseUrl, received } = await listenSocket((connection, { markets }) => {
      if (received.length === 2) {
        connection.send({ error: 'integrity_capacity', message: 'No room.' })
        return
      }
      open(connection, markets)
      if (received.length === 1) {
        connection.send({ type: 'stale', stale: true, markets: ['71'], reason: 'capacity', ts: 1 })
      }
    })
    const { client, waits } = connectClient(baseUrl)
    const books = client.books(['71', '72'])
    await until(() => received.length === 3 && books.get('71')?.isStale === false)
    expect(waits).toEqual([30_000, 30_000])
    expect(received[2]).toEqual({ action: 'subscribe', markets: ['71', '72'] })
    expect(books.get('72')?.isStale).toBe(false)
  })

  test('the connection was lost: it is stale until it has come again', async () => {
    const { baseUrl, sockets } = await listenSocket((connection, { markets }) =>
      open(connection, markets, connection.nth === 1 ? { '0.5': '10' } : { '0.5': '11' }),
    )
    const books = connectClient(baseUrl).client.books(['71'])
    const statuses: string[] = []
    books.onStatus((status) => statuses.push(status))
    const seen: unknown[] = []
    for await (const { bids, staleReason } of books) {
      seen.push([staleReason, bids[0]?.size])
      if (seen.length === 1) sockets[0]?.terminate()
      if (bids[0]?.size === '11') break
    }
    expect(seen).toEqual([
      [undefined, '10'],
      ['disconnected', '10'],
      [undefined, '11'],
    ])
    expect(statuses).toEqual(['connecting', 'open', 'reconnecting', 'open'])
  })
})

describe('several sets', () => {
  test('share one connection, and books that no set wants any more are left', async () => {
    const { baseUrl, received, sockets } = await listenSocket((connection, { action, markets }) => {
      if (action === 'subscribe') open(connection, markets)
      else connection.send({ type: 'unsubscribed' })
    })
    const { client } = connectClient(baseUrl)
    const first = client.books(['71', '72'])
    await until(() => first.get('72')?.isStale === false)
    const second = client.books(['72', '73'])
    await until(() => second.get('73')?.isStale === false)
    first.close()
    await until(() => received.length === 3)
    expect(received.slice(1)).toEqual([
      { action: 'subscribe', markets: ['71', '72', '73'] },
      { action: 'unsubscribe', markets: ['71'] },
    ])
    expect(first.get('71')).toBeUndefined()
    expect(second.get('72')?.isStale).toBe(false)
    expect(sockets).toHaveLength(1)
    second.close()
    await until(() => sockets[0]?.readyState === 3)
  })

  test('a list that is refused fails alone', async () => {
    const { baseUrl } = await listenSocket((connection, { markets }) => {
      if ((markets as string[]).length === 1) open(connection, markets)
      else connection.send({ error: 'integrity_capacity', message: 'Too many.', max: 1, requested: 2 })
    })
    const { client } = connectClient(baseUrl)
    const kept = client.books(['71'])
    await until(() => kept.get('71')?.isStale === false)
    const refused = client.books(['72'])
    await expect(refused.next()).rejects.toMatchObject({ code: 'integrity_capacity', message: 'Too many.' })
    expect(refused.get('72')).toBeUndefined()
    expect(kept.get('71')?.isStale).toBe(false)
  })

  test('a refused key fails all', async () => {
    const { baseUrl } = await listenSocket((connection) => {
      connection.send({ type: 'error', code: 'unauthorized', error: 'unauthorized', message: 'No.' })
      connection.close(4401)
    })
    const { client } = connectClient(baseUrl)
    for (const set of [client.books(['71']), client.books(['72'])]) {
      await expect(set.next()).rejects.toMatchObject({ code: 'unauthorized' })
    }
  })
})
