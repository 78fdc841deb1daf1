import type { BusEvent } from '../../bus/event.js'
import type { Connection } from '../connection.js'
import type { TransferMeter } from '../fast/shared-frame.js'

/** Clients refuse messages of more than 10 MiB, and a large one delays the events behind it. */
const EVENTS_PER_FRAME_MAX = 500
const FRAME_LENGTH_MAX = 1024 * 1024

const MARKET_TYPES: ReadonlySet<string> = new Set(['price_feed', 'score_update'])

/** Which meter the transfer of an event counts on. */
export const meterOf = ({ type }: Pick<BusEvent, 'type'>): TransferMeter =>
  MARKET_TYPES.has(type) ? 'ws_market' : 'ws_onchain'

/**
 * Sends events of the past: in `snapshot` messages, or one by one. They go out with the texts that
 * live ones have.
 */
export class ReplayFrames {
  readonly #connection: Connection
  readonly #isFlat: boolean
  #texts: string[] = []
  #length = 0
  #meter: TransferMeter = 'ws_onchain'
  #hasSent = false
  #sentLength = 0

  constructor(connection: Connection, isFlat: boolean) {
    this.#connection = connection
    this.#isFlat = isFlat
  }

  add(event: BusEvent): void {
    const { text } = event
    if (this.#isFlat) {
      this.#send(text, meterOf(event))
      return
    }
    if (this.#length + text.length > FRAME_LENGTH_MAX) this.#flush()
    if (this.#texts.length === 0) this.#meter = meterOf(event)
    this.#texts.push(text)
    this.#length += text.length + 1
    if (this.#texts.length === EVENTS_PER_FRAME_MAX) this.#flush()
  }

  /** Sends the rest, or the message that there was nothing. */
  end(): void {
    if (this.#texts.length > 0 || !this.#hasSent) this.#flush()
  }

  /** Characters that were sent since the last call. */
  takeSentLength(): number {
    const length = this.#sentLength
    this.#sentLength = 0
    return length
  }

  #flush(): void {
    const { length } = this.#texts
    const text = `{"type":"snapshot","count":${length},"events":[${this.#texts.join(',')}]}`
    this.#texts = []
    this.#length = 0
    this.#send(text, this.#meter)
  }

  #send(text: string, meter: TransferMeter): void {
    this.#connection.send(text, meter)
    this.#hasSent = true
    this.#sentLength += text.length
  }
}
