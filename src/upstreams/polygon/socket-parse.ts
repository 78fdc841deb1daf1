import { parseInteger, parseObject, parseString, refuseValue } from '../transport/parse-json.js'
import { type ChainLog, parseLog } from './log.js'
import type { Head, Transaction } from './messages.js'
import { parseHead, parseTransaction } from './parse.js'

export type SubscriptionKind = 'heads' | 'logs' | 'pending'

export type SocketMessage =
  | { kind: 'subscribed'; request: number; subscription: string }
  | { kind: 'refused'; request: number; code: number; message: string }
  | { kind: 'head'; head: Head }
  | { kind: 'log'; log: ChainLog }
  | { kind: 'pending'; tx: Transaction }

/** What is known about a connection when a frame of it is read. */
export type FrameContext = {
  /** Which of our subscriptions has that id. */
  kindOf(subscription: string): SubscriptionKind | undefined
  /** Whether pending transactions to that address are wanted: the node announces all of the chain. */
  wantsPending(to: string): boolean
}

/** `undefined`: nothing that we asked for. Throws ParseError on what must not be trusted. */
export function parseSocketFrame(text: string, context: FrameContext): SocketMessage | undefined {
  const frame = parseObject(parseJson(text), 'frame')
  if (frame.method === 'eth_subscription') {
    const { subscription, result } = parseObject(frame.params, 'params')
    const kind = context.kindOf(parseString(subscription, 'params.subscription'))
    return kind === undefined ? undefined : parseNews(kind, result, context)
  }
  const request = parseInteger(frame.id, 'id')
  if (frame.error === undefined || frame.error === null)
    return { kind: 'subscribed', request, subscription: parseString(frame.result, 'result') }
  const { code, message } = parseObject(frame.error, 'error')
  return {
    kind: 'refused',
    request,
    code: parseInteger(code, 'error.code'),
    message: parseString(message, 'error.message'),
  }
}

const PATH = 'params.result'

function parseNews(
  kind: SubscriptionKind,
  result: unknown,
  { wantsPending }: FrameContext,
): SocketMessage | undefined {
  if (kind === 'heads') return { kind: 'head', head: parseHead(result, PATH) }
  if (kind === 'logs') return { kind: 'log', log: parseLog(result, PATH) }
  // Nodes that cannot send whole transactions send their hashes.
  if (typeof result === 'string') return undefined
  const { to } = parseObject(result, PATH)
  if (typeof to !== 'string' || !wantsPending(to.toLowerCase())) return undefined
  return { kind: 'pending', tx: parseTransaction(result, PATH) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuseValue('frame', 'JSON', text)
  }
}
