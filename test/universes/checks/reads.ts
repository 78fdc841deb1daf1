import type { ChainMemory } from '../chain-memory.js'
import type { Reader, ReadPage } from '../clients/reader.js'

/** An answer may be some blocks newer than what it names: they came in while it was read. */
const NEWER_BLOCKS_MAX = 20

/** Pages that no chain which ever was explains, from the block on that they name. */
export function checkReads({ pages, notices }: Reader, memory: ChainMemory, fromBlock: number): string[] {
  const wrong = pages.filter((page) => page.headBlock > fromBlock && !isExplained(page, memory))
  return [
    ...notices,
    ...wrong.map(
      ({ headBlock, limit, transactions }) =>
        `a page of ${limit} at block ${headBlock} is of no chain that ever was: ${transactions.slice(0, 3).join(', ')} …`,
    ),
  ].map((text) => `reads: ${text}`)
}

function isExplained(page: ReadPage, memory: ChainMemory): boolean {
  for (let number = page.headBlock; number <= page.headBlock + NEWER_BLOCKS_MAX; number++) {
    for (const head of memory.blocksAt(number)) if (isOfChain(page, memory.trades(head))) return true
  }
  return false
}

/** Several trades of a page may be of one transaction. */
function isOfChain({ transactions }: ReadPage, chain: Generator<string>): boolean {
  let last: string | undefined
  for (const hash of transactions) {
    if (hash === last) continue
    if (chain.next().value !== hash) return false
    last = hash
  }
  return true
}
