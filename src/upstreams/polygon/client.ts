import { CHAIN_ID } from '../../core/blocks.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { type CallOptions, type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import type { LogFilter } from './filter.js'
import type { ChainLog } from './log.js'
import { type BlockRange, eachLogs, type LogPage } from './log-range.js'
import type { Head } from './parse.js'
import { askBlock, askBlockNumber, askChainId, askCode, askLogs, type RpcRequest } from './requests.js'
import { type BatchOutcomes, RpcClient } from './rpc.js'
import { AnswerError } from './rpc-error.js'

export type PolygonOptions = ConnectorOptions & { callsPerSecond?: number | undefined }

const NAME = 'polygon'
/** What the public endpoint was seen to allow; a node of one's own allows more. */
const CALLS_PER_SECOND = 17
/** Nodes themselves give up on a query after half a minute. */
const TIMEOUT_MS = 30_000

/** A Polygon node, asked over HTTP. Errors are `UpstreamError`; those of the node are `RpcError`. */
export class PolygonClient {
  readonly #http: HttpUpstream
  readonly #rpc: RpcClient
  readonly #timeoutMs: number

  constructor({ callsPerSecond = CALLS_PER_SECOND, ...options }: PolygonOptions) {
    const { url, timeoutMs = TIMEOUT_MS } = options
    const limits = [{ paths: /^/, calls: callsPerSecond * 10, windowMs: 10_000 }]
    this.#timeoutMs = timeoutMs
    this.#http = new HttpUpstream({ ...options, name: NAME, limits, timeoutMs })
    // Keys are part of the path, where some providers do not allow a slash at the end.
    const path = new URL(url).pathname === '/' ? '/' : ''
    this.#rpc = new RpcClient({ upstream: NAME, http: this.#http, path })
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  /** Throws when the node is of another chain. */
  async checkChain(signal?: AbortSignal): Promise<void> {
    const id = await this.#rpc.call(askChainId(), signal)
    if (id === CHAIN_ID) return
    const message = `the node is of chain ${id}, Polygon is ${CHAIN_ID}`
    throw new UpstreamError(message, { upstream: NAME, retryable: false })
  }

  /** Number of the newest block. */
  getBlockNumber(signal?: AbortSignal): Promise<number> {
    return this.#rpc.call(askBlockNumber(), signal)
  }

  /** `undefined`: the node does not have it. */
  getBlock(at: number | 'latest', signal?: AbortSignal): Promise<Head | undefined> {
    return this.#rpc.call(askBlock(at), signal)
  }

  /** The codes at these addresses, in their order; `0x`: there is no contract. One POST for up to 100. */
  getCodes(addresses: readonly string[], call: CallOptions = {}): Promise<readonly string[]> {
    return this.#rpc.together(addresses.map(askCode), (codes) => codes, call)
  }

  /** The logs of all blocks from one to another, in order; the last block must exist. */
  eachLogs(
    range: BlockRange & { filter?: LogFilter | undefined },
    signal?: AbortSignal,
  ): AsyncGenerator<LogPage> {
    const fetchPage = (page: BlockRange, linked: AbortSignal) => this.#getPage(page, range.filter, linked)
    return eachLogs(fetchPage, range, signal)
  }

  /** Many requests (see `requests.ts`) in one POST. Each has an outcome of its own. */
  batch<const Requests extends readonly RpcRequest<unknown>[]>(
    requests: Requests,
    signal?: AbortSignal,
  ): Promise<BatchOutcomes<Requests>> {
    return this.#rpc.batch(requests, signal)
  }

  /**
   * Requests the first and the last block in the same POST. The first shows which block the page
   * follows. The last shows that the node has it: a replica that lags leaves out the newest logs
   * without an error.
   */
  #getPage(range: BlockRange, filter: LogFilter | undefined, signal: AbortSignal) {
    const outermost = [...new Set([range.fromBlock, range.toBlock])]
    const requests = [askLogs(range, filter), ...outermost.map((block) => askBlock(block))] as const
    // Several blocks that take half of the time are too many; of one there is no smaller part.
    const patienceMs = outermost.length === 1 ? undefined : this.#timeoutMs / 2
    const parse = ([logs, ...blocks]: readonly [ChainLog[], ...(Head | undefined)[]]) =>
      toPage(range, logs, blocks)
    return this.#rpc.together(requests, parse, { signal, patienceMs })
  }
}

function toPage(range: BlockRange, logs: ChainLog[], outermost: readonly (Head | undefined)[]): LogPage {
  const [first, last] = [outermost[0], outermost.at(-1)]
  if (first === undefined) throw behind(`block ${range.fromBlock} is not there`)
  if (last === undefined) throw behind(`block ${range.toBlock} is not there`)
  const newest = logs.at(-1)?.at
  if (newest?.blockNumber === range.toBlock && newest.blockHash !== last.hash)
    throw behind(`block ${range.toBlock} was replaced while it was read`)
  return { ...range, first, last, logs }
}

const behind = (message: string) => new AnswerError(message, { upstream: NAME, retryable: true })
