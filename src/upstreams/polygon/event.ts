import { boolAt, DecodeError, fixedBytesAt, intAt, START, smallAt, uintAt, WORD } from './abi.js'
import type { Contract } from './contracts.js'
import { dataAddress, dataArray, dataBytes, dataId, dataUint, layOut } from './data.js'
import type { ChainLog, LogPlace } from './log.js'
import { topicAddress, topicAs, topicId } from './topics.js'

/**
 * One event of one kind of contract. `decode` throws DecodeError when the log has the event's hash
 * and does not decode.
 */
export type EventDecoder<Event> = {
  kind: string
  /** Hash of the signature: the first topic. */
  topic0: string
  decode(log: ChainLog, contract: Contract): Event
}

/** An event that is decoded field by field; the types of the fields give the type of the result. */
export function event<
  const Kind extends string,
  Topics extends Fields = NoFields,
  Data extends Fields = NoFields,
>(
  kind: Kind,
  topic0: string,
  fields: { topics?: Topics; data?: Data },
): EventDecoder<DecodedFields<Kind, Topics, Data>> {
  const topics = Object.entries(fields.topics ?? {})
  const data = Object.entries(fields.data ?? {})
  const isDynamic = data.some(([, field]) => field.isDynamic)
  const shape = { indexed: topics.length, words: data.length, isDynamic }
  return handwritten(kind, topic0, shape, (log) => {
    const decoded: Record<string, unknown> = { kind, at: log.at }
    let index = 1
    for (const [name, field] of topics) decoded[name] = field.topic(log.topics[index++])
    let at = START
    for (const [name, field] of data) {
      decoded[name] = field.data(log.data, at)
      at += WORD
    }
    return decoded as DecodedFields<Kind, Topics, Data>
  })
}

/** How many fields are indexed, and how many words the data has, or begins with if it is dynamic. */
type Shape = { indexed: number; words: number; isDynamic?: boolean }

/** An event that is too frequent, or too special, for `event`. `parse` gets logs of that shape only. */
export function handwritten<Event>(
  kind: string,
  topic0: string,
  { indexed, words, isDynamic = false }: Shape,
  parse: (log: ChainLog, contract: Contract) => Event,
): EventDecoder<Event> {
  const length = START + words * WORD
  return {
    kind,
    topic0,
    decode(log, contract) {
      const { topics, data } = log
      if (topics.length !== indexed + 1)
        throw new DecodeError(`${topics.length} topics, not ${indexed + 1}`)
      const isRight = isDynamic ? data.length >= length : data.length === length
      if (!isRight || !data.startsWith('0x') || data.length % 2 !== 0)
        throw new DecodeError(`${data.length - START} digits of data for ${words} words`)
      layOut(data)
      return parse(log, contract)
    },
  }
}

type Field<T> = {
  isDynamic: boolean
  topic(topic: string | undefined): T
  data(data: string, at: number): T
}

type Fields = { readonly [name: string]: Field<unknown> }

type NoFields = Record<never, never>

type Values<F extends Fields> = { [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }

type DecodedFields<Kind extends string, Topics extends Fields, Data extends Fields> = {
  kind: Kind
  at: LogPlace
} & Values<Topics> &
  Values<Data>

type Read<T> = (hex: string, at: number) => T

const fixed = <T>(
  data: Read<T>,
  topic: (topic: string | undefined) => T = (topic) => topicAs(data, topic),
): Field<T> => ({ isDynamic: false, topic, data })

const dynamic = <T>(data: Read<T>): Field<T> => ({
  isDynamic: true,
  topic: () => {
    throw new DecodeError('a topic has only the hash of a dynamic value')
  },
  data,
})

const array = <T>(item: Read<T>): Field<T[]> => dynamic((data, at) => dataArray(data, at, item))

export const word = fixed(dataId, topicId)
export const address = fixed(dataAddress, topicAddress)
export const uint = fixed(dataUint, (topic) => topicAs(uintAt, topic))
export const int = fixed(intAt)
export const small = fixed(smallAt)
export const bool = fixed(boolAt)
export const bytes4 = fixed((hex, at) => fixedBytesAt(hex, at, 4))
export const bytes29 = fixed((hex, at) => fixedBytesAt(hex, at, 29))
export const bytes31 = fixed((hex, at) => fixedBytesAt(hex, at, 31))
export const bytes = dynamic(dataBytes)
export const words = array(dataId)
export const addresses = array(dataAddress)
export const uints = array(dataUint)
