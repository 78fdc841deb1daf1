import { showList } from './hex.js'
import { invalidParams, invalidRequest, RpcError } from './rpc-error.js'

/** Calls a method and returns the JSON text of its result, or throws an RpcError. */
export type RpcCall = (method: string, params: readonly unknown[]) => string

const BATCH_MAX = 1_000
const BATCH_CHARACTERS_MAX = 50_000_000

/**
 * Answers a request or a batch, text for text. `undefined`: there were only notifications. The answers of a batch
 * may come in any order, and `isReversed` is another than that of the requests.
 */
export function answerRpc(text: string, call: RpcCall, isReversed = false): string | undefined {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return showError(null, new RpcError(-32700, 'parse error'))
  }
  if (!Array.isArray(message)) return answerOne(message, call)
  if (message.length === 0) return showError(null, invalidRequest('empty batch'))
  if (message.length > BATCH_MAX) return showError(null, invalidRequest('batch too large'))
  return answerBatch(message, call, isReversed)
}

/** Once the answers are too long together, those that follow are errors. */
function answerBatch(batch: readonly unknown[], call: RpcCall, isReversed: boolean): string | undefined {
  const answers: string[] = []
  let characters = 0
  for (const message of batch) {
    const isFull = characters > BATCH_CHARACTERS_MAX
    const answer = answerOne(message, isFull ? refuseTooLarge : call)
    if (answer === undefined) continue
    characters += answer.length
    answers.push(answer)
  }
  if (isReversed) answers.reverse()
  return answers.length === 0 ? undefined : showList(answers)
}

function refuseTooLarge(): never {
  throw new RpcError(-32003, 'response too large')
}

type Id = string | number | null

function answerOne(message: unknown, call: RpcCall): string | undefined {
  const request = readRequest(message)
  if (request === undefined) return showError(null, invalidRequest('invalid request'))
  const { id, method, params = [] } = request
  try {
    if (!Array.isArray(params)) throw invalidParams('non-array args')
    const result = call(method, params)
    return id === undefined ? undefined : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
  } catch (error) {
    if (id === undefined) return undefined
    return showError(id, error instanceof RpcError ? error : new RpcError(-32603, String(error)))
  }
}

type Request = { id: Id | undefined; method: string; params: unknown }

function readRequest(message: unknown): Request | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { jsonrpc, id, method, params } = message as { [key: string]: unknown }
  if (jsonrpc !== '2.0' || typeof method !== 'string') return undefined
  if (params !== undefined && typeof params !== 'object') return undefined
  const isId = id === null || id === undefined || typeof id === 'string' || typeof id === 'number'
  return isId ? { id, method, params: params ?? undefined } : undefined
}

function showError(id: Id, { code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}
