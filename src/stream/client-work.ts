import { costOf, type SocketCost } from '../accounts/costs.js'
import type { Caller } from '../accounts/key-ring.js'
import { describeWorkLimit } from '../accounts/work-shares.js'
import { ApiError } from '../core/errors.js'
import type { Pool } from '../store/connection.js'
import { Refusal } from './connection.js'
import type { StreamDeps } from './deps.js'

export type WorkDeps = Pick<StreamDeps, 'shares' | 'reads'>

/** The work that one connection causes, which its account pays for. */
export class ClientWork {
  readonly #deps: WorkDeps
  readonly #caller: Caller

  constructor({ shares, reads }: WorkDeps, caller: Caller) {
    this.#deps = { shares, reads }
    this.#caller = caller
  }

  /** Waits until work of a message may begin. Throws a `Refusal` where that would take too long. */
  async begin(kind: SocketCost, amount: number): Promise<void> {
    const waitMs = this.#deps.shares.refusedMs(this.#caller)
    if (waitMs > 0) throw refuseWork(this.#caller, waitMs)
    await this.goOn(kind, amount)
  }

  /** Waits, however long it takes, until work that was begun may go on; `undefined`: it may at once. */
  goOn(kind: SocketCost, amount: number): void | Promise<void> {
    return this.#deps.shares.admit(this.#caller, costOf(kind, amount))
  }

  /** For work that is done already, or that must not wait. */
  charge(kind: SocketCost, amount: number): void {
    this.#deps.shares.charge(this.#caller, costOf(kind, amount))
  }

  /** The database for one message, with the account's share of connections. */
  get sql(): Pool {
    return this.#deps.reads.sqlFor(this.#caller)
  }
}

/** What a client is answered whose account has used up its share. */
export const refuseWork = (caller: Caller, waitMs: number): Refusal =>
  new Refusal('work_limit', describeWorkLimit(caller, waitMs), { retry_after_ms: waitMs })

/** Queries that were refused because the account has too many: what the client is answered. */
export function toWorkRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof ApiError) || error.status !== 429) return undefined
  const { message, retryAfterSeconds = 1 } = error
  return new Refusal('work_limit', message, { retry_after_ms: retryAfterSeconds * 1_000 })
}
