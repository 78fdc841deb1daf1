import { expect, test } from 'vitest'
import { createClobSocketHost } from '../../sim/clob/socket-host.js'
import type { Peer } from '../../sim/server/handlers.js'
import { Universe } from '../../sim/universe/universe.js'
import { canonicalDecimal } from '../strict-client/pn1.js'
import { StrictBook } from '../strict-client/strict-book.js'
import { expectSameBooks } from './book-checkpoint.js'

const START_MS = Date.UTC(2026, 10, 16, 12)
const MINUTE_MS = 60_000
/** No part of a second. */
const STEP_MS = 170

type WireLevel = { price: string; size: string }
type WireChange = WireLevel & { asset_id: string; side: string }
type WireEvent = {
  event_type: string
  asset_id: string
  bids: WireLevel[]
  asks: WireLevel[]
  price_changes: WireChange[]
}

/** Follows books as the host sends them, at once and without faults. */
function followBooks(universe: Universe, tokens: readonly string[]) {
  const books = new Map(tokens.map((id) => [id, new StrictBook()]))
  const set = (id: string, side: 'bids' | 'asks', { price, size }: WireLevel) => {
    const levels = books.get(id)?.[side]
    if (size === '0') levels?.delete(canonicalDecimal(price) ?? '')
    else levels?.set(canonicalDecimal(price) ?? '', canonicalDecimal(size) ?? '')
  }
  const apply = (event: WireEvent) => {
    if (event.event_type === 'book') {
      for (const side of ['bids', 'asks'] as const) {
        books.get(event.asset_id)?.[side].clear()
        for (const level of event[side]) set(event.asset_id, side, level)
      }
    }
    if (event.event_type !== 'price_change') return
    for (const change of event.price_changes)
      set(change.asset_id, change.side === 'BUY' ? 'bids' : 'asks', change)
  }
  let say = (_text: string): void => undefined
  createClobSocketHost(universe).connect?.({
    send: (text: string) => {
      for (const event of [JSON.parse(text)].flat()) apply(event)
    },
    onText: (listener) => {
      say = listener
    },
    onClose: () => undefined,
    bufferedBytes: () => 0,
  } as Partial<Peer> as Peer)
  say(JSON.stringify({ type: 'market', assets_ids: tokens }))
  return books
}

test('the books of the universe are those that the host has sent, also between two seconds', async () => {
  const universe = new Universe({ seed: 41, startMs: START_MS, intensity: 30 })
  universe.advance(START_MS + MINUTE_MS)
  const tokens = universe.catalogue
    .events()
    .filter(({ window }) => window?.interval === '5m' && window.startMs === START_MS)
    .flatMap(({ markets }) => markets.flatMap((market) => market.tokens))
    .map(({ decimal }) => decimal)
  const books = followBooks(universe, tokens)
  let trades = 0
  universe.on('matched', (_tx, { taker }) => {
    if (books.has(taker.order.token.decimal)) trades += 1
  })
  for (let atMs = universe.nowMs; atMs < START_MS + 2 * MINUTE_MS; atMs += STEP_MS) {
    universe.advance(atMs)
    await expectSameBooks({ books }, universe, 0)
  }
  expect(trades).toBeGreaterThan(20)
})
