import { REORG_DEPTH_MAX } from '../../../sim/universe/universe.js'
import type { ChainMemory } from '../chain-memory.js'
import type { Reader, ReadPage } from '../clients/reader.js'

/** Pages that no chain which ever was explains, from the block on that they name. */
export function checkReads({ pages, notices }: Reader, memory: ChainMemory, fromBlock: number): string[] {
  const wrong = pages
    .filter(({ headBlock }) => headBlock > fromBlock)
    .flatMap((page) => explain(page, memory) ?? [])
  return [...notices, ...wrong.slice(0, SHOWN_MAX)].map((text) => `reads: ${text}`)
}

/**
 * An answer may be newer than the block that it names, because blocks came in while it was read: hundreds
 * at once while a service catches up. After a reorganisation it may be of a lower one: the service has reverted the old blocks
 * meanwhile, and not yet booked all new ones. `undefined`: the page is of a chain that once was.
 * Else where it leaves the one that it follows the longest.
 */
function explain(page: ReadPage, memory: ChainMemory): string | undefined {
  let furthest = { place: -1, expected: 'none' }
  const lowest = page.isAfterReorg ? page.headBlock - REORG_DEPTH_MAX : page.headBlock
  for (let number = lowest; number <= page.newestBlock; number++) {
    for (const head of memory.blocksAt(number)) {
      const difference = findDifference(page, memory.trades(head))
      if (difference === undefined) return undefined
      if (difference.place > furthest.place) furthest = difference
    }
  }
  const { headBlock, newestBlock, sinceReorgMs, limit, transactions } = page
  const { place, expected } = furthest
  const blocks = [...memory.blocksOf(transactions[place] ?? '')].join(' and ') || 'none'
  const reorg =
    sinceReorgMs === undefined ? 'no reorganisation' : `the last reorganisation ${sinceReorgMs} ms ago`
  return `a page of ${limit} at block ${headBlock}, with the chain at ${newestBlock} and ${reorg}, is of no chain that ever was: it has ${transactions[place]} (block ${blocks}) as number ${place}, not ${expected}`
}

/** Several trades of a page may be of one transaction. */
function findDifference({ transactions }: ReadPage, chain: Generator<string>) {
  let last: string | undefined
  for (const [place, hash] of transactions.entries()) {
    if (hash === last) continue
    const expected = chain.next().value
    if (expected !== hash) return { place, expected: String(expected) }
    last = hash
  }
  return undefined
}

const SHOWN_MAX = 3
