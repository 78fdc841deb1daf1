import {
  addressAt,
  arrayAt,
  boolAt,
  bytesAt,
  DecodeError,
  fixedBytesAt,
  intAt,
  START,
  smallAt,
  uintAt,
  WORD,
  wordAt,
} from './abi.js'
import type { Contract } from './contracts.js'
import type { ChainLog, LogPlace } from './log.js'

/**
 * One event of one kind of contract. `decode` throws DecodeError when the log has the event's hash
 * and does not decode.
 */
export type EventDecoder<Fact> = {
  kind: string
  /** Hash of the signature: the first topic. */
  topic0: string
  decode(log: ChainLog, contract: Contract): Fact
}

/** An event that becomes a fact field by field; the types of the fields give the type of the fact. */
export function event<
  const Kind extends string,
  Topics extends Fields = NoFields,
  Data extends Fields = NoFields,
>(
  kind: Kind,
  topic0: string,
  fields: { topics?: Topics; data?: Data },
): EventDecoder<EventFact<Kind, Topics, Data>> {
  const topics = Object.entries(fields.topics ?? {})
  const data = Object.entries(fields.data ?? {})
  const isStatic = data.every(([, field]) => !field.isDynamic)
  return {
    kind,
    topic0,
    decode(log) {
      checkTopics(log, topics.length)
      checkData(log.data, data.length, isStatic)
      const fact: Record<string, unknown> = { kind, at: log.at }
      for (const [index, [name, field]] of topics.entries())
        fact[name] = field.read(log.topics[index + 1] ?? '', START)
      for (const [index, [name, field]] of data.entries())
        fact[name] = field.read(log.data, START + index * WORD)
      return fact as EventFact<Kind, Topics, Data>
    },
  }
}

/** Refuses a log with another number of indexed fields, or with a topic that is not one word. */
export function checkTopics({ topics }: ChainLog, indexed: number): void {
  if (topics.length !== indexed + 1)
    throw new DecodeError(`${topics.length} topics, not ${indexed + 1}`)
  for (const topic of topics)
    if (topic.length !== START + WORD || !topic.startsWith('0x'))
      throw new DecodeError('a topic is not 32 bytes')
}

/** Refuses data that is shorter than its fixed words, or not as long as them if there is nothing else. */
export function checkData(data: string, words: number, isStatic = true): void {
  const length = START + words * WORD
  const isRight = isStatic ? data.length === length : data.length >= length
  if (!isRight || !data.startsWith('0x') || data.length % 2 !== 0)
    throw new DecodeError(`${data.length - START} digits of data for ${words} words`)
}

type Field<T> = { isDynamic: boolean; read(hex: string, at: number): T }

type Fields = { readonly [name: string]: Field<unknown> }

type NoFields = Record<never, never>

type Values<F extends Fields> = { [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }

type EventFact<Kind extends string, Topics extends Fields, Data extends Fields> = {
  kind: Kind
  at: LogPlace
} & Values<Topics> &
  Values<Data>

const fixed = <T>(read: (hex: string, at: number) => T): Field<T> => ({ isDynamic: false, read })
const array = <T>(item: (hex: string, at: number) => T): Field<T[]> => ({
  isDynamic: true,
  read: (hex, at) => arrayAt(hex, at, START, item),
})

export const word = fixed(wordAt)
export const address = fixed(addressAt)
export const uint = fixed(uintAt)
export const int = fixed(intAt)
export const small = fixed(smallAt)
export const bool = fixed(boolAt)
export const bytes4 = fixed((hex, at) => fixedBytesAt(hex, at, 4))
export const bytes29 = fixed((hex, at) => fixedBytesAt(hex, at, 29))
export const bytes31 = fixed((hex, at) => fixedBytesAt(hex, at, 31))
export const bytes: Field<string> = {
  isDynamic: true,
  read: (hex, at) => bytesAt(hex, at, START),
}
export const words = array(wordAt)
export const addresses = array(addressAt)
export const uints = array(uintAt)
