import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { Tick } from '../../crypto/prices/schemas.js'
import type { StreamTick } from '../archive/queries.js'
import { makeTick, makeTicks, NOON_SEC } from '../archive/test-archive.js'
import { showTicks } from '../ticks/test-tick-app.js'
import { type RenderedBlock, renderBlock } from './rendered-blocks.js'
import { slotOf, TickBlock, tickBlockOf } from './tick-block.js'

const BLOCK = tickBlockOf(NOON_SEC)

const render = (list: readonly StreamTick[]) => {
  const byStream = new Map<number, TickBlock>()
  for (const tick of list) {
    const ticks = byStream.get(tick.stream) ?? new TickBlock()
    ticks.put(slotOf(tick.sec), tick)
    byStream.set(tick.stream, ticks)
  }
  return renderBlock('BTC', 'spot', BLOCK, byStream)
}

const parse = ({ bytes }: RenderedBlock) => JSON.parse(`[${bytes.toString().slice(1)}]`)

describe('a rendered block', () => {
  const platform = makeTicks(NOON_SEC, 3)
  const oracle = makeTicks(NOON_SEC + 2, 2, { source: 'oracle_data_streams', bid: 1, ask: 2 })
  const rendered = render([...oracle, ...platform])

  test('is in the order of time, and of a second in the order of the sources', () => {
    expect(parse(rendered)).toEqual(showTicks([...platform, ...oracle]))
    for (const tick of parse(rendered)) expect([...Value.Errors(Tick, tick)]).toEqual([])
  })

  test('has the byte offset of each tick, and how many come before each second', () => {
    const { bytes, starts, ticksBefore } = rendered
    expect(starts).toHaveLength(6)
    expect(starts[5]).toBe(bytes.length)
    for (const start of starts.slice(0, -1))
      expect(bytes.toString('latin1', start, start + 7)).toBe(',{"id":')
    expect([...ticksBefore.slice(0, 6)]).toEqual([0, 1, 2, 4, 5, 5])
    expect(ticksBefore).toHaveLength(301)
    expect(ticksBefore[300]).toBe(5)
  })

  test('of nothing is nothing', () => {
    const { bytes, starts, ticksBefore } = render([])
    expect(bytes).toHaveLength(0)
    expect([...starts]).toEqual([0])
    expect(new Set(ticksBefore)).toEqual(new Set([0]))
  })

  test.each([
    Number.MIN_VALUE,
    2 ** -1022,
    1e-7,
    0.1 + 0.2,
    1 / 3,
    91_310.5,
    2 ** 53 + 2,
    1e21,
    123_456_789_012_345_680_000,
    Number.MAX_VALUE,
  ])('has %d as the number that it is', (price) => {
    const tick = makeTick(NOON_SEC, { price, bid: price / 3, ask: price })
    const [shown] = parse(render([tick]))
    expect(shown.data).toMatchObject({ price, bid: price / 3, ask: price })
  })
})
