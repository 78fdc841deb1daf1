import { constants, deflateRawSync } from 'node:zlib'
import type { Meter } from '../../accounts/plans.js'

/** Which of the monthly meters counts the bytes of a message. */
export type TransferMeter = Extract<Meter, 'ws_market' | 'ws_onchain'>

/** The bytes of a WebSocket frame, as they stand in the queues of connections. */
export type Frame = {
  /** For connections without compression. */
  readonly plain: Buffer
  /** For connections with `compress=zlib`. */
  readonly deflated: Buffer
  /** `undefined`: the transfer is not counted. */
  readonly meter: TransferMeter | undefined
}

const TEXT = 0x81
const BINARY = 0x82
const PING = 0x89
const PONG = 0x8a

/** A message as the bytes of a WebSocket frame, made once and written to every socket that receives it. */
export class SharedFrame implements Frame {
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

  /** A binary frame with the text as raw deflate. */
  get deflated(): Buffer {
    this.#deflated ??= toFrame(BINARY, deflateRawSync(this.#text, { level: constants.Z_BEST_SPEED }))
    return this.#deflated
  }
}

/** A message that is sent as text also to connections with compression: all but live events are. */
export const createTextFrame = (text: string, meter?: TransferMeter): Frame =>
  createFrame(TEXT, Buffer.from(text), meter)

export const createPing = (): Frame => createFrame(PING, Buffer.alloc(0))

/** `payload`: that of the Ping, at most 125 bytes. */
export const createPong = (payload: Buffer): Frame => createFrame(PONG, payload)

function createFrame(firstByte: number, payload: Buffer, meter?: TransferMeter): Frame {
  const bytes = toFrame(firstByte, payload)
  return { plain: bytes, deflated: bytes, meter }
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

/** The length of the payload of a frame that `toFrame` made. */
export function payloadLength({ length }: Buffer): number {
  if (length < 2 + 126) return length - 2
  return length < 4 + 65_536 ? length - 4 : length - 10
}
