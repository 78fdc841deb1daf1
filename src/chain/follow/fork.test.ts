import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import { AnswerError } from '../../upstreams/polygon/rpc-error.js'
import { inconsistentAnswer } from '../read/headers.js'
import { findFork, NoForkError, type ReadHeads } from './fork.js'

const TOP = 1_000

/** Two chains that part above the block `fork`; ours is known down to `knownFrom`. */
function createChains({ fork, knownFrom }: { fork: number; knownFrom: number }) {
  const ourHash = (block: number) => `ours${block}`
  const theirHash = (block: number) => (block <= fork ? ourHash(block) : `theirs${block}`)
  const sink = {
    hashOf: async (block: number) => (block >= knownFrom ? ourHash(block) : undefined),
  }
  const spans: number[] = []
  const readHeads: ReadHeads = async (fromBlock, toBlock) => {
    spans.push(toBlock - fromBlock + 1)
    return Array.from({ length: toBlock - fromBlock + 1 }, (_, index) => {
      const number = fromBlock + index
      return toHead(number, theirHash(number), theirHash(number - 1))
    })
  }
  const cursor = { block: TOP, hash: ourHash(TOP), timeSec: 0 }
  return { spans, find: (read: ReadHeads = readHeads) => findFork(sink, cursor, read), readHeads }
}

const toHead = (number: number, hash: string, parentHash: string): Head => ({
  number,
  hash,
  parentHash,
  timestampSec: 0,
  logsBloom: undefined,
})

describe('the fork of two chains', () => {
  test('is found wherever it can be, and nowhere else', async () => {
    const depths = fc.integer({ min: 0, max: REORG_BLOCKS_MAX + 50 })
    const known = fc.integer({ min: 0, max: REORG_BLOCKS_MAX + 50 })
    await fc.assert(
      fc.asyncProperty(depths, known, async (depth, keptBlocks) => {
        const fork = TOP - depth
        const { find, spans } = createChains({ fork, knownFrom: TOP - keptBlocks })
        // The cursor has its own hash, whatever the sink returns.
        const canBeFound = depth === 0 || (depth <= keptBlocks && depth <= REORG_BLOCKS_MAX)
        if (canBeFound) expect(await find()).toBe(fork)
        else await expect(find()).rejects.toThrow(NoForkError)
        expect(Math.max(...spans)).toBeLessThanOrEqual(64)
      }),
    )
  })

  test('is found with one question when it is near', async () => {
    const { find, spans } = createChains({ fork: TOP - 3, knownFrom: 0 })
    await find()
    expect(spans).toEqual([4])
  })

  test('is not guessed when the node changes its chain meanwhile', async () => {
    const { find, readHeads } = createChains({ fork: TOP - 40, knownFrom: 0 })
    const changing: ReadHeads = async (fromBlock, toBlock) => {
      const heads = await readHeads(fromBlock, toBlock)
      if (toBlock === TOP) return heads
      return heads.map((head) => toHead(head.number, `other${head.number}`, `other${head.number - 1}`))
    }
    await expect(find(changing)).rejects.toThrow(AnswerError)
  })

  test('is found when some of several nodes lack blocks or have others', async () => {
    const { find, readHeads } = createChains({ fork: TOP - 200, knownFrom: 0 })
    let answers = 0
    const disagreeing: ReadHeads = async (fromBlock, toBlock) => {
      answers++
      if (answers % 3 === 1) throw inconsistentAnswer(`block ${toBlock} is not there`)
      const heads = await readHeads(fromBlock, toBlock)
      if (answers % 3 === 0) return heads
      return heads.map((head) => toHead(head.number, `old${head.number}`, `old${head.number - 1}`))
    }
    // The first answer decides which chain is searched.
    const first: ReadHeads = (fromBlock, toBlock) =>
      (toBlock === TOP ? readHeads : disagreeing)(fromBlock, toBlock)
    expect(await find(first)).toBe(TOP - 200)
  })

  test('that is too deep says what to do', async () => {
    const { find } = createChains({ fork: 10, knownFrom: 0 })
    await expect(find()).rejects.toThrow(/up to 1000.*Check that the node is in sync.*fresh database/)
  })
})
