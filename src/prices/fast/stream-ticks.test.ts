import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Slice } from './read-slices.js'
import { streamTicks } from './stream-ticks.js'

const ENVELOPE = { symbol: 'BTC', feed: 'BTC/USD', from: 1, to: 2, limit: 12, source: null }

/** This many slices of two ticks each; with a fault they end in one. */
async function* makeSlices(count: number, fault?: Error): AsyncGenerator<Slice> {
  for (let index = 0; index < count; index++) yield { bytes: Buffer.from(',7,8'), count: 2 }
  if (fault !== undefined) throw fault
}

async function openStream(slices: AsyncGenerator<Slice>): Promise<Readable> {
  const answer = await streamTicks(ENVELOPE, slices)
  if (answer instanceof Readable) return answer
  throw new Error('it is whole')
}

describe('an answer', () => {
  test.each([0, 1, 3])('of %i slices is whole', async (slices) => {
    const answer = await streamTicks(ENVELOPE, makeSlices(slices))
    const ticks = Array.from({ length: slices }, () => [7, 8]).flat()
    const rest = { count: ticks.length, truncated: false }
    expect(JSON.parse(answer.toString())).toEqual({ ...ENVELOPE, ticks, ...rest })
  })

  test.each([
    [4, false],
    [5, false],
    [6, true],
  ])('of %i slices is a stream, truncated: %s', async (slices, truncated) => {
    const stream = await openStream(makeSlices(slices))
    const ticks = Array.from({ length: slices }, () => [7, 8]).flat()
    const rest = { count: ticks.length, truncated }
    expect(JSON.parse(await text(stream))).toEqual({ ...ENVELOPE, ticks, ...rest })
  })

  const GONE = new Error('the database is gone')

  test.each([0, 1, 3])('that fails after %i slices is none', async (slices) => {
    await expect(streamTicks(ENVELOPE, makeSlices(slices, GONE))).rejects.toBe(GONE)
  })

  test('that fails later fails in the middle, and is no JSON up to there', async () => {
    const stream = await openStream(makeSlices(5, GONE))
    let body = ''
    stream.on('data', (chunk: Buffer) => {
      body += chunk
    })
    expect(await once(stream, 'error')).toEqual([GONE])
    expect(body).toMatch(/"ticks":\[(7,8,){4}7,8$/)
  })

  test('reads no further than its reader, and nothing more when that is gone', async () => {
    let readBytes = 0
    let isReturned = false
    async function* endless(): AsyncGenerator<Slice> {
      try {
        for (;;) {
          readBytes += 10_000
          yield { bytes: Buffer.alloc(10_000), count: 1 }
        }
      } finally {
        isReturned = true
      }
    }
    const stream = await openStream(endless())
    await once(stream, 'readable')
    for (let iteration = 0; iteration < 200; iteration++) await nextIteration()
    expect(readBytes).toBeGreaterThan(200_000)
    expect(readBytes).toBeLessThan(300_000)
    stream.destroy()
    await once(stream, 'close')
    expect(isReturned).toBe(true)
  })
})
