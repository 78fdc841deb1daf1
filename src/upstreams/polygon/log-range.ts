import { onAbort } from '../../lib/abort.js'
import { needsSmallerRange } from './rpc-error.js'

/** Blocks from one number to another, both included. */
export type BlockRange = { fromBlock: number; toBlock: number }

/** A page of logs, wherever these are. */
export type SizedPage = { logs: { readonly length: number } }

export type FetchPage<Page extends SizedPage> = (range: BlockRange, signal: AbortSignal) => Promise<Page>

/** Chunks that are read at once: while one is worked on the next one comes. */
const AHEAD = 2

/**
 * Reads a range in order and without holes. How many blocks are requested at once follows what the
 * node is willing to give. What cannot be had even for a single block is thrown.
 */
export async function* eachLogs<Page extends SizedPage>(
  fetchPage: FetchPage<Page>,
  { fromBlock, toBlock }: BlockRange,
  signal?: AbortSignal,
): AsyncGenerator<Page> {
  const size = new ChunkSize()
  const stopped = new AbortController()
  const release = signal && onAbort(signal, () => stopped.abort(signal.reason))
  const ahead: Promise<ReadChunk<Page>>[] = []
  let next = fromBlock
  try {
    while (next <= toBlock || ahead.length > 0) {
      while (next <= toBlock && ahead.length < AHEAD) {
        const chunk = { fromBlock: next, toBlock: Math.min(next + size.blocks - 1, toBlock) }
        ahead.push(readChunk(fetchPage, chunk, size, stopped.signal))
        next = chunk.toBlock + 1
      }
      const read = await ahead.shift()
      yield* read?.pages ?? []
      if (read?.failure !== undefined) throw read.failure.error
    }
  } finally {
    release?.()
    stopped.abort()
  }
}

type ReadChunk<Page> = { pages: Page[]; failure: { error: unknown } | undefined }

/** Never rejects: pages read before a failure are good, and a chunk may be dropped without being awaited. */
async function readChunk<Page extends SizedPage>(
  fetchPage: FetchPage<Page>,
  chunk: BlockRange,
  size: ChunkSize,
  signal: AbortSignal,
): Promise<ReadChunk<Page>> {
  const pages: Page[] = []
  let fromBlock = chunk.fromBlock
  while (fromBlock <= chunk.toBlock) {
    const toBlock = Math.min(fromBlock + size.blocks - 1, chunk.toBlock)
    const blocks = toBlock - fromBlock + 1
    try {
      const page = await fetchPage({ fromBlock, toBlock }, signal)
      size.onPage(blocks, page.logs.length)
      pages.push(page)
      fromBlock = toBlock + 1
    } catch (error) {
      if (blocks === 1 || !needsSmallerRange(error)) return { pages, failure: { error } }
      size.onRefusal(blocks)
    }
  }
  return { pages, failure: undefined }
}

const BLOCKS_FIRST = 16
const BLOCKS_MAX = 2_000
/** Pages with this many logs are large enough, and those with many more too large, whatever the node allows. */
const LOGS_ENOUGH = 2_000
const LOGS_MANY = 6_000
/** This many pages without a refusal, and a size that was refused is tried again. */
const PAGES_UNTIL_BOLD = 50

/** How many blocks to ask for: twice as many after a success, half as many after a refusal. */
class ChunkSize {
  #blocks = BLOCKS_FIRST
  #ceiling = BLOCKS_MAX
  #pages = 0

  get blocks(): number {
    return this.#blocks
  }

  onPage(blocks: number, logs: number): void {
    this.#pages += 1
    if (this.#pages % PAGES_UNTIL_BOLD === 0) this.#ceiling = Math.min(this.#ceiling * 2, BLOCKS_MAX)
    if (logs > LOGS_MANY) this.#blocks = Math.max(1, Math.floor(blocks / 2))
    else if (logs < LOGS_ENOUGH && blocks >= this.#blocks)
      this.#blocks = Math.min(this.#blocks * 2, this.#ceiling)
  }

  onRefusal(blocks: number): void {
    this.#pages = 0
    this.#ceiling = Math.min(this.#ceiling, Math.max(1, blocks - 1))
    this.#blocks = Math.min(this.#blocks, Math.max(1, Math.floor(blocks / 2)))
  }
}
