import { boolAt, DecodeError, fixedBytesAt, intAt, START, smallAt, uintAt, WORD } from './abi.js'
import type { Contract } from './contracts.js'
import type { LogReader, WordDecoder } from './fast/log-reader.js'
import type { ChainLog, LogPosition } from './log.js'

/**
 * One event of one kind of contract. `decode` lays the log out in the reader, and throws DecodeError
 * when the log has the event's hash and does not decode.
 */
export type EventDecoder<Event> = {
  kind: string
  /** Hash of the signature: the first topic. */
  topic0: string
  decode(log: ChainLog, contract: Contract, reader: LogReader): Event
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
  return handwritten(kind, topic0, shape, (log, position) => {
    const decoded: Record<string, unknown> = { kind, at: position }
    let index = 1
    for (const [name, field] of topics) decoded[name] = field.topic(log, index++)
    let at = START
    for (const [name, field] of data) {
      decoded[name] = field.data(log, at)
      at += WORD
    }
    return decoded as DecodedFields<Kind, Topics, Data>
  })
}

/** How many fields are indexed, and how many words the data has, or begins with if it is dynamic. */
type Shape = { indexed: number; words: number; isDynamic?: boolean }

/** An event that is too frequent, or too special, for `event`. `decode` gets logs of that shape only. */
export function handwritten<Event>(
  kind: string,
  topic0: string,
  { indexed, words, isDynamic = false }: Shape,
  decode: (log: LogReader, at: LogPosition, contract: Contract) => Event,
): EventDecoder<Event> {
  const length = START + words * WORD
  return {
    kind,
    topic0,
    decode({ at, topics, data }, contract, reader) {
      if (topics.length !== indexed + 1) throw new DecodeError(`${topics.length} topics, not ${indexed + 1}`)
      const isRight = isDynamic ? data.length >= length : data.length === length
      if (!isRight || !data.startsWith('0x') || data.length % 2 !== 0)
        throw new DecodeError(`${data.length - START} digits of data for ${words} words`)
      reader.layOut(topics, data)
      return decode(reader, at, contract)
    },
  }
}

type Field<T> = {
  isDynamic: boolean
  topic(log: LogReader, index: number): T
  data: WordDecoder<T>
}

type Fields = { readonly [name: string]: Field<unknown> }

type NoFields = Record<never, never>

type Values<F extends Fields> = { [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }

type DecodedFields<Kind extends string, Topics extends Fields, Data extends Fields> = {
  kind: Kind
  at: LogPosition
} & Values<Topics> &
  Values<Data>

/** A type that is rare enough to be decoded by `abi.ts`. */
const plain = <T>(decode: (hex: string, at: number) => T): Field<T> => ({
  isDynamic: false,
  topic: (log, index) => log.topicAs(index, decode),
  data: (log, at) => decode(log.data, at),
})

const dynamic = <T>(data: WordDecoder<T>): Field<T> => ({
  isDynamic: true,
  topic: () => {
    throw new DecodeError('a topic has only the hash of a dynamic value')
  },
  data,
})

const array = <T>({ data }: Field<T>): Field<T[]> => dynamic((log, at) => log.array(at, data))

export const word: Field<string> = {
  isDynamic: false,
  topic: (log, index) => log.topicId(index),
  data: (log, at) => log.id(at),
}
export const address: Field<string> = {
  isDynamic: false,
  topic: (log, index) => log.topicAddress(index),
  data: (log, at) => log.address(at),
}
export const uint: Field<bigint> = { ...plain(uintAt), data: (log, at) => log.uint(at) }
export const int = plain(intAt)
export const small = plain(smallAt)
export const bool = plain(boolAt)
export const bytes4 = plain((hex, at) => fixedBytesAt(hex, at, 4))
export const bytes29 = plain((hex, at) => fixedBytesAt(hex, at, 29))
export const bytes31 = plain((hex, at) => fixedBytesAt(hex, at, 31))
export const bytes = dynamic((log, at) => log.bytes(at))
export const words = array(word)
export const addresses = array(address)
export const uints = array(uint)
