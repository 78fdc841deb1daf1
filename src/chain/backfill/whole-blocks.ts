import { blockOf } from '../../core/seq.js'
import type { Entry } from '../../ledger/entry.js'

/** The same entries in the same order; no block is in two lists. */
export async function* wholeBlocks(chunks: AsyncIterable<Entry[]>): AsyncGenerator<Entry[]> {
  let rest: Entry[] = []
  for await (const chunk of chunks) {
    const entries = rest.concat(chunk)
    const lastBlock = blockOf(entries.at(-1)?.seq ?? 0)
    const end = entries.findIndex(({ seq }) => blockOf(seq) === lastBlock)
    if (end > 0) yield entries.slice(0, end)
    rest = entries.slice(end)
  }
  if (rest.length > 0) yield rest
}
