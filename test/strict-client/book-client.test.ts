import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { until } from '../until.js'
import { StrictBookClient } from './book-client.js'
import { canonicalDecimal, pn1Checksum } from './pn1.js'
import { openScriptedServer, type Peer, type ScriptedServer } from './scripted-server.js'
import type { Json } from './shape.js'

const EMPTY = 'f9990dc511a3f5eabf06565ee7f52801621e28d7f2d3509d6fbda91e561edecf'
const ONE_EACH = 'a1ec7486bc53e14c4294f08e9298362fe7b5c6495c474e8c447e27ea976eb93a'

const levels = (...pairs: [string, string][]) =>
  new Map(
    pairs
      .map(([price, size]) => [canonicalDecimal(price) ?? '', canonicalDecimal(size) ?? ''] as const)
      .filter(([, size]) => size !== '0'),
  )

describe('the checksum', () => {
  test.each<[string, Map<string, string>, Map<string, string>, string]>([
    ['an empty book', levels(), levels(), EMPTY],
    ['one level each', levels(['0.50', '10.000']), levels(['0.6000', '20']), ONE_EACH],
    [
      'bids alone',
      levels(['0.5', '12.500'], ['00.4900', '3.0']),
      levels(),
      '7829126b80f3eccac2ab4ecc0e999b90f061df3214db0d2717165834a57d66be',
    ],
    [
      'a level of size 0',
      levels(['0.31', '250'], ['0.30', '75.5']),
      levels(['0.33', '1000'], ['0.34', '0']),
      '5d95e5ccd0ab6ce3282f3a5d0597b62935418523b56bbef74c2ebdc85c032c93',
    ],
  ])('of %s is the published one', (_what, bids, asks, checksum) => {
    expect(pn1Checksum(bids, asks)).toBe(checksum)
  })

  test.each<[string, string | undefined]>([
    ['.50', '0.5'],
    ['0.500', '0.5'],
    ['01.000', '1'],
    ['000', '0'],
    ['123', '123'],
    ['5.', '5'],
    ...['', '-1', '+1', '1e-3', ' 1', 'NaN', '.'].map((bad): [string, undefined] => [bad, undefined]),
  ])('takes the decimal "%s" as %s', (decimal, canonical) => {
    expect(canonicalDecimal(decimal)).toBe(canonical)
  })
})

describe('the client of books', () => {
  let server: ScriptedServer
  let client: StrictBookClient
  const notices: string[] = []
  afterEach(async () => {
    await client.close()
    await server.stop()
    notices.length = 0
  })

  /** Follows token 11111111111 with what the server answers to the subscribe and to a resync. */
  async function follow(answer: (peer: Peer) => void, onResync = (_peer: Peer): void => undefined) {
    const received: Json[] = []
    server = await openScriptedServer((message, peer) => {
      received.push(message)
      if (message.action === 'subscribe') answer(peer)
      else onResync(peer)
    })
    const notify = (notice: string) => notices.push(notice)
    client = new StrictBookClient({ url: server.url, isProven: true, notify })
    await client.connect()
    await client.subscribe([TOKEN])
    return received
  }

  const TOKEN = '11111111111'
  const ACK = { type: 'subscribed', markets: 1, integrity: { enabled: true, protocol: 'pn1' } }
  const DONE = { type: 'snapshots_done', total: 1 }
  const anchor = (seq: number, checksum = ONE_EACH) => ({
    type: 'book_snapshot',
    asset_id: TOKEN,
    market: '0x1',
    bids: [{ price: '0.50', size: '10.000' }],
    asks: [{ price: '0.6000', size: '20' }],
    integrity: { protocol: 'pn1', anchor: true, seq, checksum },
  })
  const removal = (seq: number, side: 'BUY' | 'SELL', changes: Json = {}) => {
    const price = side === 'BUY' ? '0.5' : '0.6'
    const integrity = { protocol: 'pn1', prev_seq: seq - 1, seq, checksum: EMPTY }
    const assets = [{ asset_id: TOKEN, price, size: '0', side, best_bid: '0', best_ask: '1' }]
    return { type: 'price_change', market: '0x1', asset_id: TOKEN, assets, integrity, ...changes }
  }
  const emptying = (seq: number) => ({
    type: 'book_update',
    asset_id: TOKEN,
    market: '0x1',
    bids: [{ price: '0.5', size: '0' }],
    asks: [{ price: '0.6', size: '0' }],
    integrity: { protocol: 'pn1', prev_seq: seq - 1, seq, checksum: EMPTY },
  })

  test('is ready at an anchor, follows proven changes and ignores a repeat', async () => {
    await follow((peer) => {
      peer.send(ACK, anchor(812), DONE)
      const updates = [emptying(813), emptying(813)]
      peer.sendDeflated({ type: 'batch', ts: 1_790_000_000_000, count: 2, updates })
    })
    expect(server.addresses).toEqual(['/ws?key=k&compress=zlib&integrity=1'])
    await until(() => client.counts.changes === 2)
    expect(client.books.get(TOKEN)).toMatchObject({ state: 'ready', seq: 813, checksum: EMPTY })
    expect(notices).toEqual([])
  })

  test('gates a token at a gap, asks for a resync, and is ready at the new anchor', async () => {
    const received = await follow(
      (peer) => peer.send(ACK, anchor(812), DONE, emptying(815)),
      (peer) =>
        peer.send({ type: 'resyncing', markets: [TOKEN] }, anchor(820), {
          ...DONE,
          reason: 'resync',
        }),
    )
    await until(() => client.counts.resyncs === 1)
    expect(received[1]).toEqual({ action: 'resync', markets: [TOKEN] })
    expect(client.books.get(TOKEN)).toMatchObject({ state: 'ready', seq: 820 })
    expect(notices).toEqual([`change 814 -> 815 does not continue 812 (${TOKEN})`])
  })

  test.each<[string, Json[], RegExp]>([
    ['a wrong checksum of an anchor', [ACK, anchor(1, EMPTY), DONE], /anchor 1 is wrong/],
    ['a wrong checksum of a change', [ACK, anchor(1), DONE, removal(2, 'BUY')], /change 2 is wrong/],
    ['a book that is missing', [ACK, DONE], /0 books came of 1/],
    ['no integrity mode', [{ ...ACK, integrity: undefined }, anchor(1), DONE], /not acknowledged/],
    [
      'a proof without the token',
      [ACK, anchor(1), DONE, removal(2, 'BUY', { asset_id: undefined })],
      /needs its asset_id/,
    ],
    [
      'a proof of a trade',
      [
        ACK,
        anchor(1),
        DONE,
        {
          type: 'last_trade_price',
          asset_id: TOKEN,
          market: '0x1',
          price: '0.5',
          size: '1',
          side: 'BUY',
          fee_rate_bps: '0',
          timestamp: '1790000000000',
          integrity: {},
        },
      ],
      /a trade has a proof/,
    ],
    ['an error unasked for', [ACK, anchor(1), DONE, { error: 'token_limit' }], /token_limit/],
  ])('notices %s', async (_what, frames, notice) => {
    await follow((peer) => peer.send(...frames))
    await until(() => notices.length > 0)
    expect(notices).toEqual([expect.stringMatching(notice)])
  })

  describe('notices a crossed book', () => {
    const START_MS = 1_790_000_000_000
    let peer: Peer
    let seq = 1
    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: START_MS })
      await follow((joined) => {
        peer = joined
        peer.send(ACK, anchor(seq), DONE)
      })
    })
    afterEach(() => vi.useRealTimers())

    /** The server sends this, this many seconds after the start, and the client has read it. */
    const send = async (seconds: number, ...frames: Json[]) => {
      vi.setSystemTime(START_MS + seconds * 1_000)
      const { unknown } = client.counts
      peer.send(...frames, { type: 'end of the test messages' })
      await until(() => client.counts.unknown > unknown)
    }
    const update = (bid: string, size: string) => {
      const bids = new Map([['0.5', '10'], ...(size === '0' ? [] : [[bid, size] as const])])
      const checksum = pn1Checksum(bids, levels(['0.6', '20']))
      seq += 1
      const integrity = { protocol: 'pn1', prev_seq: seq - 1, seq, checksum }
      const of = { type: 'book_update', asset_id: TOKEN, market: '0x1' }
      const updates = [{ ...of, bids: [{ price: bid, size }], asks: [], integrity }]
      return { type: 'batch', ts: Date.now(), count: 1, updates }
    }
    const stale = (isStale: boolean) => ({ type: 'stale', stale: isStale, markets: [TOKEN], ts: 1 })

    test('that the server vouches for', async () => {
      await send(0, update('0.7', '1'))
      await send(2.9, update('0.7', '2'))
      expect(notices).toEqual([])
      await send(3.1, update('0.7', '3'))
      expect(notices).toEqual([`the book of ${TOKEN} is crossed`])
    })

    test('only for the time since the server last said that it is right', async () => {
      await send(0, update('0.7', '1'))
      await send(1, stale(true))
      await send(9, stale(false))
      await send(11.9, update('0.7', '2'))
      expect(notices).toEqual([])
      await send(12.1, update('0.7', '3'))
      expect(notices).toEqual([`the book of ${TOKEN} is crossed`])
    })

    test('only for the time since it was last right, by a whole book too', async () => {
      await send(0, update('0.7', '1'))
      seq += 1
      await send(1, anchor(seq))
      await send(9, update('0.7', '1'))
      expect(notices).toEqual([])
    })
  })
})
