import { UpstreamError } from '../../core/upstream-error.js'
import type { HttpUpstream, PostOptions } from '../transport/http.js'
import { inBatches } from '../transport/paging.js'
import {
  type JsonObject,
  ParseError,
  parseInteger,
  parseObject,
  parseString,
} from '../transport/parse-json.js'
import type { RpcRequest } from './requests.js'
import { AnswerError, RpcError } from './rpc-error.js'

/** How one request of a batch ended. The others are not touched by it. */
export type RpcOutcome<T> = { ok: true; value: T } | { ok: false; error: UpstreamError }

export type BatchOutcomes<Requests extends readonly RpcRequest<unknown>[]> = {
  [Index in keyof Requests]: RpcOutcome<ReturnType<Requests[Index]['parse']>>
}

export type RpcOptions = {
  upstream: string
  http: HttpUpstream
  /** What follows the base URL. */
  path: string
}

/** The values of requests that all succeeded. */
type Values<Requests extends readonly RpcRequest<unknown>[]> = {
  [Index in keyof Requests]: ReturnType<Requests[Index]['parse']>
}

/** The smallest limit that providers set. */
const BATCH_MAX = 100

/**
 * JSON-RPC over HTTP. A node that answers properly that it is behind, that it failed or that we ask
 * too often is treated by the transport like one that does not answer: it is asked again a little
 * later, and spared when that keeps happening.
 */
export class RpcClient {
  readonly #options: RpcOptions
  #lastId = 0

  constructor(options: RpcOptions) {
    this.#options = options
  }

  call<T>(request: RpcRequest<T>, signal?: AbortSignal): Promise<T> {
    const { http, path } = this.#options
    const id = this.#nextId()
    const parse = (json: unknown) => this.#parse(id, request, () => parseObject(json, 'answer'))
    return http.post(path, toMessage(id, request), { parse, signal })
  }

  /** One POST for up to a hundred requests. Throws only when there is no answer at all. */
  async batch<const Requests extends readonly RpcRequest<unknown>[]>(
    requests: Requests,
    signal?: AbortSignal,
  ): Promise<BatchOutcomes<Requests>> {
    const parts = await inBatches(requests, BATCH_MAX, (batch) =>
      this.#post(batch, (outcomes) => outcomes, { signal }),
    )
    return parts.flat() as BatchOutcomes<Requests>
  }

  /** One POST whose answers are good together or not at all: `parse` may refuse them, too. */
  together<const Requests extends readonly RpcRequest<unknown>[], T>(
    requests: Requests,
    parse: (values: Values<Requests>) => T,
    options: Patience,
  ): Promise<T> {
    const readAll = (outcomes: RpcOutcome<unknown>[]) => parse(outcomes.map(unwrap) as Values<Requests>)
    return this.#post(requests, readAll, options)
  }

  #post<T>(
    requests: readonly RpcRequest<unknown>[],
    parse: (outcomes: RpcOutcome<unknown>[]) => T,
    options: Patience,
  ): Promise<T> {
    const { http, path } = this.#options
    const asked = requests.map((request) => ({ id: this.#nextId(), request }))
    const messages = asked.map(({ id, request }) => toMessage(id, request))
    const parseItem = (json: unknown, { id, request }: (typeof asked)[number]) =>
      outcomeOf(() => this.#parse(id, request, () => findAnswer(json, id)))
    return http.post(path, messages, {
      ...options,
      parse: (json) => parse(asked.map((each) => parseItem(json, each))),
    })
  }

  #parse<T>(id: number, request: RpcRequest<T>, find: () => JsonObject | undefined): T {
    const { upstream, http } = this.#options
    const { method } = request
    try {
      const answer = find()
      if (answer === undefined) throw new ParseError('there is no answer to it')
      if (answer.error !== undefined && answer.error !== null) {
        const error = parseObject(answer.error, 'error')
        const code = parseInteger(error.code, 'error.code')
        const said = http.redact(parseString(error.message, 'error.message'))
        throw new RpcError(upstream, method, code, said)
      }
      if (answer.id !== id) throw new ParseError(`the answer is to ${answer.id}, not to ${id}`)
      return request.parse(answer.result, 'result')
    } catch (cause) {
      if (!(cause instanceof ParseError)) throw cause
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

type Patience = Pick<PostOptions<unknown>, 'signal' | 'accountId' | 'patienceMs'>

function outcomeOf<T>(parse: () => T): RpcOutcome<T> {
  try {
    return { ok: true, value: parse() }
  } catch (error) {
    if (error instanceof UpstreamError) return { ok: false, error }
    throw error
  }
}

function unwrap<T>(outcome: RpcOutcome<T>): T {
  if (!outcome.ok) throw outcome.error
  return outcome.value
}

function toMessage(id: number, { method, params }: RpcRequest<unknown>) {
  return { jsonrpc: '2.0', id, method, params }
}

/** Answers of a batch come in any order. One that is no list answers every request of it. */
function findAnswer(json: unknown, id: number): JsonObject | undefined {
  if (!Array.isArray(json)) return parseObject(json, 'answer')
  const found: unknown = json.find((answer) => (answer as JsonObject | null)?.id === id)
  return found === undefined ? undefined : parseObject(found, 'answer')
}
