import { addressAt, DecodeError, flatten, isHex, START, WORD, wordAt } from './abi.js'

/**
 * Reads topics, each of which is one word. Throws DecodeError. The same wallets, tokens and conditions
 * come again and again: a topic that equals one of before is neither checked nor cut again, and all
 * who hold its text share one string, which is then quick to look up elsewhere.
 */
export function topicAddress(topic = ''): string {
  return addresses.get(topic) || addresses.learn(topic, flatten(addressAt(checked(topic), START)))
}

/** An id that other logs name as well. */
export function topicId(topic = ''): string {
  return ids.get(topic) || ids.learn(topic, wordAt(checked(topic), START))
}

/** A hash that hardly comes again. */
export function topicHash(topic = ''): string {
  if (!isHex(topic, 32)) throw new DecodeError('a topic is not a hash')
  return topic
}

/** Any other topic, read by one of the readers of `abi.ts`. */
export function topicAs<T>(parse: (hex: string, at: number) => T, topic = ''): T {
  return parse(checked(topic), START)
}

function checked(topic: string): string {
  if (topic.length !== START + WORD || !topic.startsWith('0x'))
    throw new DecodeError('a topic is not 32 bytes')
  return topic
}

/** Each hash has one place, which the newest topic takes: the memory has a bound without any upkeep. */
class KnownTopics {
  readonly #topics: string[] = new Array(PLACES).fill('')
  readonly #texts: string[] = new Array(PLACES).fill('')

  /** What was learned about the topic, or the empty text. */
  get(topic: string): string {
    const place = placeOf(topic)
    return this.#topics[place] === topic ? (this.#texts[place] ?? '') : ''
  }

  learn(topic: string, text: string): string {
    const place = placeOf(topic)
    this.#topics[place] = topic
    this.#texts[place] = text
    return text
  }
}

const PLACE_BITS = 15
const PLACES = 2 ** PLACE_BITS

/** Some digits from where both addresses and ids have random ones, and the last, where siblings differ. */
function placeOf(topic: string): number {
  const digits =
    topic.charCodeAt(30) |
    (topic.charCodeAt(31) << 8) |
    (topic.charCodeAt(32) << 16) |
    (topic.charCodeAt(33) << 24)
  const last = topic.charCodeAt(64) | (topic.charCodeAt(65) << 8)
  return Math.imul(digits ^ Math.imul(last, 0x85ebca6b), 0x9e3779b1) >>> (32 - PLACE_BITS)
}

const addresses = new KnownTopics()
const ids = new KnownTopics()
