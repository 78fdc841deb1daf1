import { backoffMs } from '../transport/backoff.js'
import { UpstreamError } from '../transport/errors.js'
import type { HttpUpstream } from '../transport/http.js'
import {
  type JsonObject,
  ReadError,
  readInteger,
  readObject,
  readString,
} from '../transport/read.js'
import type { Timing } from '../transport/timing.js'
import type { RpcRequest } from './requests.js'
import { AnswerError, RpcError } from './rpc-error.js'

/** How one request of a batch ended. The others are not touched by it. */
export type RpcOutcome<T> = { ok: true; value: T } | { ok: false; error: UpstreamError }

export type BatchOutcomes<Requests extends readonly RpcRequest<unknown>[]> = {
  [Index in keyof Requests]: RpcOutcome<ReturnType<Requests[Index]['read']>>
}

export type RpcOptions = {
  upstream: string
  http: HttpUpstream
  /** What follows the base URL. */
  path: string
  timing: Timing
}

const TRIES_MAX = 4
const BACKOFF = { baseMs: 500, maxMs: 10_000 }
/** The smallest limit that providers set. */
const BATCH_MAX = 100

/**
 * JSON-RPC over HTTP. The transport repeats what failed below; here is repeated what a node answers
 * properly and would not answer a little later: that it is behind, or that we ask too often.
 */
export class RpcClient {
  readonly #options: RpcOptions
  #lastId = 0

  constructor(options: RpcOptions) {
    this.#options = options
  }

  async call<T>(request: RpcRequest<T>, signal?: AbortSignal): Promise<T> {
    return await this.retry(signal, async () => {
      const id = this.#nextId()
      const { http, path } = this.#options
      const json = await http.post(path, toMessage(id, request), { read: asIs, signal })
      return this.#read(id, request, () => readObject(json, 'answer'))
    })
  }

  /** One POST for up to a hundred requests. Throws only when there is no answer at all. */
  async batch<const Requests extends readonly RpcRequest<unknown>[]>(
    requests: Requests,
    signal?: AbortSignal,
  ): Promise<BatchOutcomes<Requests>> {
    const parts: Promise<RpcOutcome<unknown>[]>[] = []
    for (let start = 0; start < requests.length; start += BATCH_MAX)
      parts.push(this.#post(requests.slice(start, start + BATCH_MAX), signal))
    return (await Promise.all(parts)).flat() as BatchOutcomes<Requests>
  }

  /** Does the work again after a wait, as long as its error says that this may help. */
  async retry<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        const mayHelp = error instanceof AnswerError || error instanceof RpcError
        if (!mayHelp || !error.retryable || tries >= TRIES_MAX) throw error
        await this.#options.timing.sleep(backoffMs(BACKOFF, tries), signal ?? NEVER)
      }
    }
  }

  async #post(
    requests: readonly RpcRequest<unknown>[],
    signal: AbortSignal | undefined,
  ): Promise<RpcOutcome<unknown>[]> {
    const { http, path } = this.#options
    const asked = requests.map((request) => ({ id: this.#nextId(), request }))
    const messages = asked.map(({ id, request }) => toMessage(id, request))
    const json = await http.post(path, messages, { read: asIs, signal })
    return asked.map(({ id, request }) => {
      try {
        return { ok: true, value: this.#read(id, request, () => findAnswer(json, id)) }
      } catch (error) {
        if (error instanceof UpstreamError) return { ok: false, error }
        throw error
      }
    })
  }

  #read<T>(id: number, request: RpcRequest<T>, find: () => JsonObject | undefined): T {
    const { upstream } = this.#options
    const { method } = request
    try {
      const answer = find()
      if (answer === undefined) throw new ReadError('there is no answer to it')
      if (answer.error !== undefined && answer.error !== null) {
        const error = readObject(answer.error, 'error')
        const code = readInteger(error.code, 'error.code')
        throw new RpcError(upstream, method, code, readString(error.message, 'error.message'))
      }
      if (answer.id !== id) throw new ReadError(`the answer is to ${answer.id}, not to ${id}`)
      return request.read(answer.result, 'result')
    } catch (cause) {
      if (!(cause instanceof ReadError)) throw cause
      throw new AnswerError(`${method} answered what is refused: ${cause.message}`, {
        upstream,
        retryable: true,
        cause,
      })
    }
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }
}

const NEVER = new AbortController().signal

function toMessage(id: number, { method, params }: RpcRequest<unknown>) {
  return { jsonrpc: '2.0', id, method, params }
}

const asIs = (json: unknown): unknown => json

/** Answers of a batch come in any order. One that is no list answers every request of it. */
function findAnswer(json: unknown, id: number): JsonObject | undefined {
  if (!Array.isArray(json)) return readObject(json, 'answer')
  const found: unknown = json.find((answer) => (answer as JsonObject | null)?.id === id)
  return found === undefined ? undefined : readObject(found, 'answer')
}
