import type { SubscriptionKind } from './socket-parse.js'

/** What was asked for on one connection, and what of it the node has confirmed. */
export class Subscriptions {
  /** By the id of the request, less one. */
  readonly #asked: SubscriptionKind[] = []
  readonly #confirmed = new Map<string, SubscriptionKind>()

  /** The frame to send. */
  ask(kind: SubscriptionKind, params: readonly unknown[]): string {
    const id = this.#asked.push(kind)
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params })
  }

  /** What the request was for. */
  askedBy(request: number): SubscriptionKind | undefined {
    return this.#asked[request - 1]
  }

  confirm(request: number, subscription: string): void {
    const kind = this.askedBy(request)
    if (kind !== undefined) this.#confirmed.set(subscription, kind)
  }

  kindOf(subscription: string): SubscriptionKind | undefined {
    return this.#confirmed.get(subscription)
  }

  isUnconfirmed(kind: SubscriptionKind): boolean {
    return this.#asked.includes(kind) && ![...this.#confirmed.values()].includes(kind)
  }
}
