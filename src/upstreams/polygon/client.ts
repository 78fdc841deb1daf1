import { CHAIN_ID } from '../../core/blocks.js'
import { UpstreamError } from '../../core/upstream-error.js'
import {
  type CallOptions,
  type ConnectorOptions,
  HttpUpstream,
  type ParsedElsewhere,
  type TimedCallOptions,
} from '../transport/http.js'
import type { LogFilter } from './filter.js'
import { type BlockRange, eachLogs, type SizedPage } from './log-range.js'
import { askPage, type LogPage, type PageValues, toPage } from './page.js'
import type { Head } from './parse.js'
import { askBlock, askBlockNumber, askChainId, askCode, type RpcRequest } from './requests.js'
import { type BatchOutcomes, RpcClient } from './rpc.js'

export type PolygonOptions = ConnectorOptions & { callsPerSecond?: number | undefined }

const NAME = 'polygon'
/** What the public endpoint was seen to allow; a node of one's own allows more. */
const CALLS_PER_SECOND = 17
/** Several blocks whose logs take longer than this are too many. Other requests have the deadline of every upstream. */
const RANGE_MS_MAX = 15_000

/** A Polygon node, called over HTTP. Errors are `UpstreamError`; those of the node are `RpcError`. */
export class PolygonClient {
  readonly #http: HttpUpstream
  readonly #rpc: RpcClient
  readonly #rangeMsMax: number

  constructor({ callsPerSecond = CALLS_PER_SECOND, ...options }: PolygonOptions) {
    const { url, timeoutMs } = options
    const limits = [{ paths: /^/, calls: callsPerSecond * 10, windowMs: 10_000 }]
    this.#rangeMsMax = timeoutMs === undefined ? RANGE_MS_MAX : timeoutMs / 2
    this.#http = new HttpUpstream({ ...options, name: NAME, limits })
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
  eachLogs(range: LogRange, signal?: AbortSignal): AsyncGenerator<LogPage> {
    const fetchPage = (page: BlockRange, linked: AbortSignal) => {
      const parse = (values: PageValues) => toPage(page, values, NAME)
      return this.#rpc.together(askPage(page, range.filter), parse, this.#withTryTimeout(page, linked))
    }
    return eachLogs(fetchPage, range, signal)
  }

  /** The same, where the answers are parsed elsewhere, in another thread. */
  eachLogsElsewhere<Page extends SizedPage>(
    range: LogRange,
    parseElsewhere: ParseElsewhere<Page>,
    signal?: AbortSignal,
  ): AsyncGenerator<Page> {
    const fetchPage = (page: BlockRange, linked: AbortSignal) => {
      const elsewhere = (body: Buffer, ids: readonly number[]) => parseElsewhere(body, { range: page, ids })
      const refuse = (values: PageValues): never => {
        toPage(page, values, NAME)
        throw new Error('an answer was refused elsewhere, and is good here')
      }
      const options = this.#withTryTimeout(page, linked)
      return this.#rpc.together(askPage(page, range.filter), refuse, options, elsewhere)
    }
    return eachLogs(fetchPage, range, signal)
  }

  /** Many requests (see `requests.ts`) in one POST. Each has an outcome of its own. */
  batch<const Requests extends readonly RpcRequest<unknown>[]>(
    requests: Requests,
    signal?: AbortSignal,
  ): Promise<BatchOutcomes<Requests>> {
    return this.#rpc.batch(requests, signal)
  }

  /** Of one block there is no smaller part. */
  #withTryTimeout({ fromBlock, toBlock }: BlockRange, signal: AbortSignal): TimedCallOptions {
    return { signal, tryTimeoutMs: fromBlock === toBlock ? undefined : this.#rangeMsMax }
  }
}

type LogRange = BlockRange & { filter?: LogFilter | undefined }

type ParseElsewhere<Page> = (
  body: Buffer,
  sent: { range: BlockRange; ids: readonly number[] },
) => Promise<ParsedElsewhere<Page>>
