import { UpstreamError } from '../../core/upstream-error.js'
import {
  type JsonObject,
  ParseError,
  parseInteger,
  parseObject,
  parseString,
} from '../transport/parse-json.js'
import type { RpcRequest } from './requests.js'
import { AnswerError, RpcError } from './rpc-error.js'

/** A request that was sent under an id. */
export type NumberedRequest<T> = { id: number; request: RpcRequest<T> }

export type AnswerContext = {
  upstream: string
  /** Takes keys out of what the node said. */
  redact: (text: string) => string
}

/** How one request of a batch ended. The others are not touched by it. */
export type RpcOutcome<T> = { ok: true; value: T } | { ok: false; error: UpstreamError }

/** The values of requests that all succeeded. */
export type RpcValues<Requests extends readonly RpcRequest<unknown>[]> = {
  [Index in keyof Requests]: ReturnType<Requests[Index]['parse']>
}

/** The outcome of each request of a batch. */
export function outcomesOf(
  json: unknown,
  requests: readonly NumberedRequest<unknown>[],
  context: AnswerContext,
): RpcOutcome<unknown>[] {
  return requests.map((each) => outcomeOf(() => parseAnswer(each, () => findAnswer(json, each.id), context)))
}

/** Throws the error of the first request that failed. */
export function valuesOf<Requests extends readonly RpcRequest<unknown>[]>(
  outcomes: readonly RpcOutcome<unknown>[],
): RpcValues<Requests> {
  return outcomes.map(unwrap) as RpcValues<Requests>
}

/** The result of one request. Throws RpcError when the node refuses it, and AnswerError for an invalid answer. */
export function parseAnswer<T>(
  { id, request }: NumberedRequest<T>,
  find: () => JsonObject | undefined,
  { upstream, redact }: AnswerContext,
): T {
  const { method } = request
  try {
    const answer = find()
    if (answer === undefined) throw new ParseError('there is no answer to it')
    if (answer.error !== undefined && answer.error !== null) {
      const error = parseObject(answer.error, 'error')
      const code = parseInteger(error.code, 'error.code')
      const said = redact(parseString(error.message, 'error.message'))
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

/** Answers of a batch come in any order. One that is no list answers every request of it. */
function findAnswer(json: unknown, id: number): JsonObject | undefined {
  if (!Array.isArray(json)) return parseObject(json, 'answer')
  const found: unknown = json.find((answer) => (answer as JsonObject | null)?.id === id)
  return found === undefined ? undefined : parseObject(found, 'answer')
}
