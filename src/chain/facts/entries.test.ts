import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockOf, seqOf } from '../../core/seq.js'
import type { SupplyEntry } from '../../ledger/entry.js'
import { wholeBlocks } from './entries.js'

const entryAt = (block: number, logIndex: number): SupplyEntry => ({
  kind: 'supply',
  seq: seqOf(block, logIndex),
  timeSec: 0,
  token: 1,
  minted: 0n,
  burned: 0n,
})

test('no block is in two lists, and nothing is lost, doubled or moved', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 7 }), async (logsOfBlocks, chunkSize) => {
      const entries = logsOfBlocks.flatMap((logs, block) =>
        Array.from({ length: logs }, (_, logIndex) => entryAt(block, logIndex)),
      )
      async function* chunks() {
        for (let at = 0; at < entries.length; at += chunkSize) yield entries.slice(at, at + chunkSize)
      }
      const lists = []
      for await (const list of wholeBlocks(chunks())) lists.push(list)
      expect(lists.flat()).toEqual(entries)
      const blocks = lists.flatMap((list) => [...new Set(list.map(({ seq }) => blockOf(seq)))])
      expect(blocks).toEqual([...new Set(blocks)])
    }),
  )
})
