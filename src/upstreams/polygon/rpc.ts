import type { HttpUpstream, ParsedElsewhere, TimedCallOptions } from '../transport/http.js'
import { inBatches } from '../transport/paging.js'
import { parseObject } from '../transport/parse-json.js'
import type { RpcRequest } from './requests.js'
import {
  type AnswerContext,
  type NumberedRequest,
  outcomesOf,
  parseAnswer,
  type RpcOutcome,
  type RpcValues,
  valuesOf,
} from './rpc-answer.js'

export type BatchOutcomes<Requests extends readonly RpcRequest<unknown>[]> = {
  [Index in keyof Requests]: RpcOutcome<ReturnType<Requests[Index]['parse']>>
}

export type RpcOptions = {
  upstream: string
  http: HttpUpstream
  /** What follows the base URL. */
  path: string
}

/** The smallest limit that providers set. */
const BATCH_MAX = 100

/**
 * JSON-RPC over HTTP. A node that answers properly that it lags, that it failed or that we ask
 * too often is treated by the transport like one that does not answer: it gets the request again a little
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
    const numbered = this.#number(request)
    const parse = (json: unknown) => parseAnswer(numbered, () => parseObject(json, 'answer'), this.#context)
    return http.post(path, toMessage(numbered), { parse, signal })
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

  /**
   * One POST whose answers are good together or not at all: `parse` may refuse them, too. `elsewhere`
   * parses the answer in another thread; what that refuses is parsed here, for its error.
   */
  together<const Requests extends readonly RpcRequest<unknown>[], T>(
    requests: Requests,
    parse: (values: RpcValues<Requests>) => T,
    options: TimedCallOptions,
    elsewhere?: ReadElsewhere<T>,
  ): Promise<T> {
    return this.#post(requests, (outcomes) => parse(valuesOf<Requests>(outcomes)), options, elsewhere)
  }

  #post<T>(
    requests: readonly RpcRequest<unknown>[],
    parse: (outcomes: RpcOutcome<unknown>[]) => T,
    options: TimedCallOptions,
    elsewhere?: ReadElsewhere<T>,
  ): Promise<T> {
    const { http, path } = this.#options
    const numbered = requests.map((request) => this.#number(request))
    const ids = numbered.map(({ id }) => id)
    return http.post(path, numbered.map(toMessage), {
      ...options,
      parse: (json) => parse(outcomesOf(json, numbered, this.#context)),
      parseElsewhere: elsewhere && ((body) => elsewhere(body, ids)),
    })
  }

  get #context(): AnswerContext {
    const { upstream, http } = this.#options
    return { upstream, redact: http.redact }
  }

  #number<T>(request: RpcRequest<T>): NumberedRequest<T> {
    this.#lastId += 1
    return { id: this.#lastId, request }
  }
}

/** Gets the bytes of an answer and the ids of its requests. */
type ReadElsewhere<T> = (body: Buffer, ids: readonly number[]) => Promise<ParsedElsewhere<T>>

function toMessage({ id, request: { method, params } }: NumberedRequest<unknown>) {
  return { jsonrpc: '2.0', id, method, params }
}
