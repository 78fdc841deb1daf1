import { randomUUID } from 'node:crypto'
import { DEFAULT_PLANS, type PlanId } from '../accounts/plans.js'
import type { Connection } from './connection.js'
import type { SharedFrame, TransferMeter } from './fast/shared-frame.js'

type Message = { type: string; [name: string]: unknown }

/** A connection that keeps what it is sent. */
export class RecordingConnection implements Connection {
  readonly id = randomUUID()
  readonly caller
  /** All messages, in the order in which a client would read them. */
  readonly messages: Message[] = []
  readonly texts: string[] = []
  readonly metered: Record<TransferMeter, number> = { ws_market: 0, ws_onchain: 0 }
  closed: { code: number; reason: string } | undefined
  /** How many firehoses the account has left. */
  firehosesLeft = 1
  hasFirehose = false
  /** What `drained` waits for. */
  untilDrained: () => Promise<boolean> = async () => this.closed === undefined

  constructor(plan: PlanId = 'enterprise', accountId = 1) {
    this.caller = {
      keyId: 1,
      accountId,
      plan: DEFAULT_PLANS[plan],
      scope: 'full' as const,
      expiresAtMs: Number.POSITIVE_INFINITY,
    }
  }

  send(message: object | string, meter?: TransferMeter): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    this.#record(text, meter)
  }

  push(frame: SharedFrame): void {
    const { plain } = frame
    const headLength = plain.length < 128 ? 2 : plain.length < 65_540 ? 4 : 10
    this.#record(plain.toString('utf8', headLength), frame.meter)
  }

  drained(): Promise<boolean> {
    return this.untilDrained()
  }

  close(code: number, reason: string): void {
    this.closed ??= { code, reason }
  }

  async takeFirehose(): Promise<boolean> {
    if (this.hasFirehose) return true
    if (this.firehosesLeft === 0) return false
    this.firehosesLeft--
    this.hasFirehose = true
    return true
  }

  releaseFirehose(): void {
    if (this.hasFirehose) this.firehosesLeft++
    this.hasFirehose = false
  }

  /** Removes and returns what has come so far. */
  take(): Message[] {
    this.texts.length = 0
    return this.messages.splice(0)
  }

  #record(text: string, meter: TransferMeter | undefined): void {
    this.texts.push(text)
    this.messages.push(JSON.parse(text))
    if (meter !== undefined) this.metered[meter] += text.length
  }
}
