import { constants, deflateRawSync } from 'node:zlib'
import type { Meter } from '../../accounts/plans.js'

/** Which of the monthly meters counts the bytes of a message. */
export type TransferMeter = Extract<Meter, 'ws_market' | 'ws_onchain'>

const TEXT = 0x81
const BINARY = 0x82

/** A message as the bytes of a WebSocket frame, made once and written to every socket that receives it. */
export class SharedFrame {
  readonly meter: TransferMeter
  readonly #text: string
  #plain: Buffer | undefined
  #deflated: Buffer | undefined

  constructor(text: string, meter: TransferMeter) {
    this.#text = text
    this.meter = meter
  }

  /** A text frame. */
  get plain(): Buffer {
    this.#plain ??= toFrame(TEXT, Buffer.from(this.#text))
    return this.#plain
  }

  /** A binary frame with the text as raw deflate, for connections with `compress=zlib`. */
  get deflated(): Buffer {
    this.#deflated ??= toFrame(
      BINARY,
      deflateRawSync(this.#text, { level: constants.Z_BEST_SPEED }),
    )
    return this.#deflated
  }
}

/** One unfragmented, unmasked frame (RFC 6455, 5.2). */
export function toFrame(firstByte: number, payload: Buffer): Buffer {
  const { length } = payload
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headLength + length)
  frame[0] = firstByte
  if (headLength === 2) frame[1] = length
  else if (headLength === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  payload.copy(frame, headLength)
  return frame
}
