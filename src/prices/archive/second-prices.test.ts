import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BLOCK_SEC, slotOf, TickBlock, tickBlockOf } from '../fast/tick-block.js'
import type { StreamTick } from './queries.js'
import { mergeSeconds } from './second-prices.js'

const FROM_SEC = 1_793_000_100
const SECONDS = 2 * BLOCK_SEC
const STREAMS = [0, 1]
const STRANGER = 4

/** The tables that have a tick: one that is packed during the read is in both. */
const storedIn = fc.constantFrom('live', 'block', 'both')
const ticks = fc.uniqueArray(
  fc.record({
    stream: fc.constantFrom(...STREAMS, STRANGER),
    sec: fc.integer({ min: FROM_SEC, max: FROM_SEC + 40 }).map((sec) => sec + BLOCK_SEC - 20),
    price: fc.double({ min: 1, max: 200_000, noNaN: true }),
    storedIn,
  }),
  { selector: ({ stream, sec }) => `${stream} ${sec}`, maxLength: 60 },
)

const withoutQuotes = ({ stream, sec, price }: StreamPrice): StreamTick => ({
  stream,
  sec,
  price,
  bid: null,
  ask: null,
})

type StreamPrice = { stream: number; sec: number; price: number }

function toBlocks(packed: readonly StreamPrice[]) {
  const blocks = new Map<string, { stream: number; block: number; ticks: TickBlock }>()
  for (const tick of packed) {
    const key = { stream: tick.stream, block: tickBlockOf(tick.sec) }
    const name = JSON.stringify(key)
    const filled = blocks.get(name) ?? { ...key, ticks: new TickBlock() }
    filled.ticks.put(slotOf(tick.sec), withoutQuotes(tick))
    blocks.set(name, filled)
  }
  return [...blocks.values()].map(({ ticks: block, ...key }) => ({
    ...key,
    columns: block.toBytes(),
  }))
}

test('each second has the price of the last stream that has one, wherever it is found', () => {
  fc.assert(
    fc.property(ticks, (known) => {
      const live = known.filter((tick) => tick.storedIn !== 'block').map(withoutQuotes)
      const blocks = toBlocks(known.filter((tick) => tick.storedIn !== 'live'))
      const merged = mergeSeconds({ live, blocks }, STREAMS, FROM_SEC, SECONDS)
      const expected = Array.from({ length: SECONDS }, (_, at) => {
        const priceOf = (stream: number) =>
          known.find((tick) => tick.stream === stream && tick.sec === FROM_SEC + at)?.price
        return priceOf(1) ?? priceOf(0) ?? Number.NaN
      })
      expect([...merged]).toEqual(expected)
    }),
  )
})

test('the tick of a second that came first stays: it is the one in the block', () => {
  const late = { stream: 0, sec: FROM_SEC, price: 2 }
  const parts = { live: [withoutQuotes(late)], blocks: toBlocks([{ ...late, price: 1 }]) }
  expect(mergeSeconds(parts, STREAMS, FROM_SEC, SECONDS)[0]).toBe(1)
})
