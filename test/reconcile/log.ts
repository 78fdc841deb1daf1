/** A log as a node gives it, as far as the checks need it. */
export type RawLog = {
  address: string
  topics: readonly string[]
  data: string
  blockNumber: string
  transactionHash: string
}

const DIGITS = 64

/** Word of the data: 64 hex digits. */
export function wordAt({ data }: RawLog, index: number): string {
  return data.slice(2 + index * DIGITS, 2 + (index + 1) * DIGITS)
}

export function amountAt(log: RawLog, index: number): bigint {
  return BigInt(`0x${wordAt(log, index)}`)
}

/** 0x and 64 hex digits. */
export function topicAt({ topics }: RawLog, index: number): string {
  return topics[index] ?? ''
}

/** The address in a topic or in a word. */
export function addressIn(word: string): string {
  return `0x${word.slice(-40)}`
}

/** The words of an array, whose offset stands in the given word. */
export function arrayAt(log: RawLog, index: number): string[] {
  const start = Number(amountAt(log, index)) / 32
  const length = Number(amountAt(log, start))
  return Array.from({ length }, (_, n) => wordAt(log, start + 1 + n))
}

export function amountsAt(log: RawLog, index: number): bigint[] {
  return arrayAt(log, index).map((word) => BigInt(`0x${word}`))
}
