import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import type { ParsedElsewhere } from '../../upstreams/transport/http.js'
import { UntrustedLogsError } from '../attribute/order-logs.js'
import { inconsistentAnswer } from './headers.js'
import type { ParsedPage, ThreadAnswer, ThreadQuestion } from './reader-thread.js'

/** A page whose logs are in the thread. */
export type ThreadPage = Omit<ParsedPage, 'logs'> & { number: number; logs: { length: number } }

type Waiting = { resolve: (answer: ThreadAnswer) => void; reject: (error: unknown) => void }

/** Compiled: where the sources run as they are, as in tests, there is no file for a thread. */
const READER_THREAD = new URL('./reader-thread.js', import.meta.url)

/** With one core a thread would only wait for the other. */
export const hasReaderThread = (): boolean =>
  import.meta.filename.endsWith('.js') && availableParallelism() > 1

/** A larger young generation takes a tenth less time, and its size in additional memory. */
const LIMITS = { maxYoungGenerationSizeMb: 32 }

/** Hands the answers of a node to a thread that parses and attributes them, and asks it in order. */
export class ThreadReader {
  readonly #thread: Worker
  readonly #waiting: Waiting[] = []
  readonly #pools: ReadonlySet<string>
  /** The thread knows this many of the pools. They are only ever added to. */
  #poolsSent = 0
  #pages = 0
  #failure: Error | undefined

  /** `pools`: the market makers that are known; those that become known meanwhile are added to it. */
  constructor(pools: ReadonlySet<string>, file = READER_THREAD) {
    this.#pools = pools
    // The arguments of the process are about its own program: a thread does not take `--eval`.
    this.#thread = new Worker(file, { execArgv: [], resourceLimits: LIMITS })
    this.#thread.on('message', (answer: ThreadAnswer) => this.#waiting.shift()?.resolve(answer))
    this.#thread.on('error', (error) => this.#fail(error))
    this.#thread.on('exit', () => this.#fail(new Error('the thread that reads logs has ended')))
  }

  /** The body is gone afterwards, unless it comes back. */
  async parse(
    body: Buffer,
    { range, ids }: { range: BlockRange; ids: readonly number[] },
  ): Promise<ParsedElsewhere<ThreadPage>> {
    const number = this.#pages++
    const bytes = ownBytes(body)
    const answer = await this.#ask({ kind: 'parse', page: number, body: bytes, range, ids: [...ids] }, [
      bytes,
    ])
    if ('refused' in answer) return { refused: Buffer.from(answer.refused) }
    if (!('parsed' in answer)) throw new Error('the thread answers another question')
    const { logs, ...page } = answer.parsed
    return { value: { ...page, number, logs: { length: logs } } }
  }

  /** The facts of a page, packed. Pages are attributed in the order of the chain. */
  async attribute({ number }: ThreadPage, heads: Head[]): Promise<ArrayBuffer> {
    const pools = this.#pools.size > this.#poolsSent ? [...this.#pools].slice(this.#poolsSent) : []
    this.#poolsSent += pools.length
    const answer = await this.#ask({ kind: 'attribute', page: number, heads, pools })
    if ('facts' in answer) return answer.facts
    if (!('contradiction' in answer)) throw new Error('the thread answers another question')
    throw answer.isOfHeaders
      ? inconsistentAnswer(answer.contradiction)
      : new UntrustedLogsError(answer.contradiction)
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }

  #ask(question: ThreadQuestion, transfer: ArrayBuffer[] = []): Promise<ThreadAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure)
      this.#waiting.push({ resolve, reject })
      this.#thread.postMessage(question, transfer)
    })
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure)
  }
}

/** Small buffers share their memory with others. */
function ownBytes(body: Buffer): ArrayBuffer {
  const { buffer } = body
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === body.length
  return isOwn ? buffer : new Uint8Array(body).buffer
}
