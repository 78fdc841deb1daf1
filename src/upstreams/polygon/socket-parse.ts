import { parseInteger, parseObject, parseString, refuseValue } from '../transport/parse-json.js'
import { type Head, type PendingTransaction, parseHead, parsePending } from './parse.js'

export type SubscriptionKind = 'heads' | 'pending'

export type SocketMessage =
  | { kind: 'subscribed'; request: number; subscription: string }
  | { kind: 'refused'; request: number; code: number; message: string }
  | { kind: 'head'; head: Head }
  | { kind: 'pending'; tx: PendingTransaction }

/** What one connection has subscribed to, and what of it the node has confirmed. */
export class Subscriptions {
  /** Request ids begin at 1: that of index 0. */
  readonly #requested: SubscriptionKind[] = []
  readonly #confirmed = new Map<string, SubscriptionKind>()

  /** The frame to send. */
  ask(kind: SubscriptionKind, params: readonly unknown[]): string {
    const id = this.#requested.push(kind)
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params })
  }

  /** What the request with this id subscribed to. */
  kindOfRequest(request: number): SubscriptionKind | undefined {
    return this.#requested[request - 1]
  }

  confirm(request: number, subscription: string): void {
    const kind = this.kindOfRequest(request)
    if (kind !== undefined) this.#confirmed.set(subscription, kind)
  }

  kindOf(subscription: string): SubscriptionKind | undefined {
    return this.#confirmed.get(subscription)
  }
}

/**
 * `undefined`: not of our subscriptions, or a pending transaction to another address than those that
 * are wanted: the node announces those of the whole chain. Throws ParseError.
 */
export function parseSocketFrame(
  text: string,
  subscriptions: Subscriptions,
  wantsPending: (to: string) => boolean,
): SocketMessage | undefined {
  const frame = parseObject(parseJson(text), 'frame')
  if (frame.method === 'eth_subscription') {
    const { subscription, result } = parseObject(frame.params, 'params')
    const kind = subscriptions.kindOf(parseString(subscription, 'params.subscription'))
    return kind === undefined ? undefined : parseNotification(kind, result, wantsPending)
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

function parseNotification(
  kind: SubscriptionKind,
  result: unknown,
  wantsPending: (to: string) => boolean,
): SocketMessage | undefined {
  if (kind === 'heads') return { kind: 'head', head: parseHead(result, PATH) }
  // Nodes that cannot send whole transactions send their hashes.
  if (typeof result === 'string') return undefined
  const { to } = parseObject(result, PATH)
  if (typeof to !== 'string' || !wantsPending(to.toLowerCase())) return undefined
  return { kind: 'pending', tx: parsePending(result, PATH) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuseValue('frame', 'JSON', text)
  }
}
