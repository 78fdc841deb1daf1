import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { BatchBlock } from '../../src/chain/facts/block.js'
import { PARTITION_BLOCKS } from '../../src/core/blocks.js'
import { fill } from '../../src/upstreams/polygon/decode-exchange.js'
import { type ChainLog, parseLogs } from '../../src/upstreams/polygon/log.js'
import { tidyLater } from './tidy.js'

/** Blocks with their logs, as the connector hands them over. */
export type LogStretch = { blocks: BatchBlock[]; logs: ChainLog[]; fills: number }

const SCRIPT = join(import.meta.dirname, 'universe-logs.js')
const HEAP_MB = 6_144
/** The first one of a partition, so that no stretch reaches into two. */
const FIRST_BLOCK = 328 * PARTITION_BLOCKS - 1

type Line = { head: { hash: string; timeSec: number }; logs: unknown[] }

/** The chain of a simulated world that another process lives. */
export class LogSource {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>
  #previous: BatchBlock = { number: FIRST_BLOCK, hash: '', parentHash: undefined, timeSec: 0 }

  /** `intensity`: how much is traded there; 100 is as much as in the world outside. */
  constructor(intensity = 100) {
    const args = [`--max-old-space-size=${HEAP_MB}`, SCRIPT, String(intensity)]
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]()
    tidyLater(() => this.#stop())
  }

  /** The blocks that come next, with this many bytes of text or a few more. */
  async read(bytes: number): Promise<LogStretch> {
    const stretch: LogStretch = { blocks: [], logs: [], fills: 0 }
    for await (const line of this.#ask(bytes)) this.#add(stretch, line)
    return stretch
  }

  /** Reads this many blocks, ends the world, and hands them out one by one: then nothing else runs here. */
  async *readToEnd(blocks: number): AsyncGenerator<LogStretch> {
    // Outside of the heap, where they would be collected around again and again.
    const kept: Buffer[] = []
    while (kept.length < blocks) for await (const line of this.#ask(1)) kept.push(Buffer.from(line, 'latin1'))
    await this.#stop()
    for (const text of kept) {
      const stretch: LogStretch = { blocks: [], logs: [], fills: 0 }
      this.#add(stretch, text.toString('latin1'))
      yield stretch
    }
  }

  async *#ask(bytes: number): AsyncGenerator<string> {
    this.#child.stdin.write(`${bytes}\n`)
    for (;;) {
      const { done, value: line } = await this.#lines.next()
      if (done) throw new Error('the simulated world has ended')
      if (line === '') return
      yield line
    }
  }

  #add(stretch: LogStretch, line: string): void {
    const { head, logs } = JSON.parse(line) as Line
    const { number, hash } = this.#previous
    const block = { number: number + 1, parentHash: hash, ...head }
    this.#previous = block
    stretch.blocks.push(block)
    for (const log of parseLogs(logs, 'logs')) {
      log.at.blockNumber = block.number
      stretch.logs.push(log)
      if (log.topics[0] === fill.topic0) stretch.fills++
    }
  }

  async #stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
  }
}
