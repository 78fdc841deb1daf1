import {
  type JsonObject,
  parseArray,
  parseEncoded,
  parseObject,
  parseOptional,
  parseString,
  refuseValue,
} from '../transport/parse-json.js'
import { formatE18, parseCoin, parseE18, parseE18Integer, parseTimestampMs } from './parse-fields.js'
import type { PriceKind, PriceTick } from './source.js'

export type RtdsMessage =
  | { kind: 'ticks'; ticks: PriceTick[] }
  /** A frame of ours was not understood. The socket stays open. */
  | { kind: 'rejected'; message: string }

type Topic = { kind: PriceKind; provider: string; windowSeconds?: number }

export const RTDS_TOPICS: ReadonlyMap<string, Topic> = new Map([
  ['crypto_prices', { kind: 'binance', provider: 'binance' }],
  ['crypto_prices_chainlink', { kind: 'spot', provider: 'chainlink' }],
  ['crypto_prices_twap_thirty', { kind: 'twap30', provider: 'chainlink', windowSeconds: 30 }],
  ['crypto_prices_twap_sixty', { kind: 'twap60', provider: 'chainlink', windowSeconds: 60 }],
])

/** `undefined`: a pong, or topics and symbols that are not ours. Throws a ParseError on a malformed message. */
export function parseRtdsFrame(text: string, nowMs: number): RtdsMessage | undefined {
  if (text.trim() === '' || text === 'PONG' || text === 'pong') return undefined
  return parseEncoded(text, 'frame', (frame) => {
    const messages = Array.isArray(frame) ? frame : [frame]
    const ticks = messages.flatMap((each, index) => {
      const message = parseObject(each, `frame[${index}]`)
      return message.topic === undefined ? [] : parseTicks(message, `frame[${index}]`, nowMs)
    })
    return ticks.length > 0 ? { kind: 'ticks', ticks } : parseRejection(messages)
  })
}

function parseRejection(messages: unknown[]): RtdsMessage | undefined {
  for (const each of messages) {
    const { topic, message } = parseObject(each, 'frame')
    if (topic === undefined) return { kind: 'rejected', message: parseString(message, 'message') }
  }
  return undefined
}

function parseTicks(message: JsonObject, path: string, nowMs: number): PriceTick[] {
  const topic = RTDS_TOPICS.get(parseString(message.topic, `${path}.topic`))
  if (topic === undefined) return []
  const payload = parseObject(message.payload, `${path}.payload`)
  const coin = parseCoin(payload.symbol, `${path}.payload.symbol`)
  if (coin === undefined) return []
  checkWindow(payload.window_s, `${path}.payload.window_s`, topic)
  const parsePoint = (value: unknown, where: string): PriceTick => {
    const point = parseObject(value, where)
    const priceE18 = parsePrice(point, where, topic)
    return {
      coin,
      kind: topic.kind,
      source: 'rtds',
      provider: topic.provider,
      timestampMs: parseTimestampMs(point.timestamp, `${where}.timestamp`, nowMs),
      price: formatE18(priceE18),
      priceE18,
      receivedMs: nowMs,
    }
  }
  // A subscription may be answered with the last minute at once.
  return payload.data === undefined
    ? [parsePoint(payload, `${path}.payload`)]
    : parseArray(payload.data, `${path}.payload.data`, parsePoint)
}

/** A mean over other seconds than the topic promises is another price. */
function checkWindow(value: unknown, path: string, { windowSeconds }: Topic): void {
  if ((value ?? undefined) !== windowSeconds) refuseValue(path, String(windowSeconds ?? 'absent'), value)
}

/** A mean is always sent exactly. */
function parsePrice(point: JsonObject, path: string, { windowSeconds }: Topic): bigint {
  const exact = point.full_accuracy_value
  const exactPath = `${path}.full_accuracy_value`
  if (windowSeconds !== undefined) return parseE18Integer(exact, exactPath)
  return parseOptional(exact, exactPath, parseE18Integer) ?? parseE18(point.value, `${path}.value`)
}
