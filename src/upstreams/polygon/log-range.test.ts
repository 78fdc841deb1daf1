import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UpstreamError } from '../../core/upstream-error.js'
import { type BlockRange, eachLogs } from './log-range.js'
import type { LogPage } from './page.js'
import { RpcError } from './rpc-error.js'

const tooMuch = () => new RpcError('polygon', 'eth_getLogs', -32005, 'query returned more than 10')

describe('eachLogs', () => {
  test('gives every block once and in order, whatever the node allows at the time', async () => {
    const ranges = fc.record({
      fromBlock: fc.nat(1_000),
      blocks: fc.integer({ min: 1, max: 3_000 }),
    })
    const allowances = fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(ranges, allowances, async ({ fromBlock, blocks }, allowed) => {
        let calls = 0
        const pages = await collect({ fromBlock, toBlock: fromBlock + blocks - 1 }, (range) => {
          const blocksMax = allowed[calls++ % allowed.length] ?? 1
          if (blocksOf(range) > blocksMax) throw tooMuch()
          return toPage(range)
        })
        let next = fromBlock
        for (const page of pages) {
          expect(page.fromBlock).toBe(next)
          next = page.toBlock + 1
        }
        expect(next).toBe(fromBlock + blocks)
      }),
      { numRuns: 50 },
    )
  })

  test('starts with 16 blocks, doubles up to 2,000, and asks for less of what is too much', async () => {
    const requested: number[] = []
    await collect({ fromBlock: 1, toBlock: 20_000 }, (range) => {
      requested.push(blocksOf(range))
      return toPage(range)
    })
    expect(requested[0]).toBe(16)
    expect(Math.max(...requested)).toBe(2_000)

    requested.length = 0
    await collect({ fromBlock: 1, toBlock: 400 }, (range) => {
      requested.push(blocksOf(range))
      if (blocksOf(range) > 10) throw tooMuch()
      return toPage(range)
    })
    const refused = requested.filter((blocks) => blocks > 10)
    expect(refused.length).toBeLessThan(20)
    expect(requested.length).toBeLessThan(100)
  })

  test('asks for fewer blocks when they are full, although the node would give them', async () => {
    const requested: number[] = []
    await collect({ fromBlock: 1, toBlock: 2_000 }, (range) => {
      requested.push(blocksOf(range))
      return { ...toPage(range), logs: Array.from({ length: blocksOf(range) * 400 }) as [] }
    })
    expect(Math.max(...requested)).toBe(16)
    expect(Math.max(...requested.slice(4))).toBeLessThanOrEqual(15)
  })

  test('throws what a single block cannot give, after all blocks before it', async () => {
    const pages: LogPage[] = []
    const read = async () => {
      const range = { fromBlock: 1, toBlock: 100 }
      for await (const page of eachLogs(async (part) => fetchUpTo(70, part), range)) pages.push(page)
    }
    await expect(read()).rejects.toThrow('more than 10')
    expect(pages.at(-1)?.toBlock).toBe(70)
  })

  test('throws at once what smaller pieces would not repair', async () => {
    const down = new UpstreamError('answered 500', {
      upstream: 'polygon',
      retryable: true,
      status: 500,
    })
    let calls = 0
    const reading = collect({ fromBlock: 1, toBlock: 16 }, () => {
      calls += 1
      throw down
    })
    await expect(reading).rejects.toBe(down)
    expect(calls).toBe(1)
  })

  test('ends what it reads ahead when the reader leaves', async () => {
    const signals: AbortSignal[] = []
    const pages = eachLogs(
      async (range, signal) => {
        signals.push(signal)
        return toPage(range)
      },
      { fromBlock: 1, toBlock: 10_000 },
    )
    for await (const page of pages) {
      expect(page.fromBlock).toBe(1)
      break
    }
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
  })
})

async function collect(range: BlockRange, fetchPage: (range: BlockRange) => LogPage) {
  const pages: LogPage[] = []
  for await (const page of eachLogs(async (part) => fetchPage(part), range)) pages.push(page)
  return pages
}

/** Beyond `lastGood` there is always too much, even in one block. */
function fetchUpTo(lastGood: number, range: BlockRange): LogPage {
  if (range.toBlock > lastGood) throw tooMuch()
  return toPage(range)
}

const blocksOf = ({ fromBlock, toBlock }: BlockRange) => toBlock - fromBlock + 1

function toPage(range: BlockRange): LogPage {
  return { ...range, first: toBlock(range.fromBlock), last: toBlock(range.toBlock), logs: [] }
}

const toBlock = (number: number) => ({
  number,
  hash: '',
  parentHash: '',
  timestampSec: 0,
  logsBloom: undefined,
  txHashes: [],
})
