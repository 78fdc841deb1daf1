const SLOT_BITS = 15
const SLOTS = 2 ** SLOT_BITS

/**
 * Texts of words of log data, found by their digits in a buffer. Each hash of a word has one slot,
 * which the newest word overwrites, so the memory is bounded and no eviction is needed.
 */
export class WordCache {
  readonly #width: number
  readonly #octs: Float64Array
  readonly #quads: Int32Array
  readonly #keys: Float64Array
  readonly #texts: string[] = new Array(SLOTS).fill('')

  /** `width`: how many doubles of eight digits each make a key. */
  constructor(digits: ArrayBufferLike, width: number) {
    this.#width = width
    this.#octs = new Float64Array(digits)
    this.#quads = new Int32Array(digits)
    this.#keys = new Float64Array(SLOTS * width)
  }

  /** The text of the digits that begin at that double of the buffer, or the empty text. */
  get(oct: number): string {
    const slot = this.#slotOf(oct)
    const from = slot * this.#width
    for (let i = 0; i < this.#width; i++) if (this.#keys[from + i] !== this.#octs[oct + i]) return ''
    return this.#texts[slot] ?? ''
  }

  /** The text must be that of the digits, and checked. */
  set(oct: number, text: string): string {
    const slot = this.#slotOf(oct)
    this.#keys.set(this.#octs.subarray(oct, oct + this.#width), slot * this.#width)
    this.#texts[slot] = text
    return text
  }

  /** Ids that are made of fields differ in their first digits, in their last, or in both. */
  #slotOf(oct: number): number {
    const first = oct * 2
    const last = first + this.#width * 2 - 1
    const mixed =
      Math.imul((this.#quads[first + 1] ?? 0) ^ (this.#quads[first + 2] ?? 0), 0x9e3779b1) ^
      Math.imul((this.#quads[last] ?? 0) ^ Math.imul(this.#quads[last - 1] ?? 0, 31), 0x85ebca6b)
    return Math.imul(mixed ^ (mixed >>> 15), 0x9e3779b1) >>> (32 - SLOT_BITS)
  }
}

/** The same for topics, which are found by their own text. */
export class TopicCache {
  readonly #topics: string[] = new Array(SLOTS).fill('')
  readonly #texts: string[] = new Array(SLOTS).fill('')

  /** The text that was cached for the topic, or the empty text. */
  get(topic: string): string {
    const slot = slotOf(topic)
    return this.#topics[slot] === topic ? (this.#texts[slot] ?? '') : ''
  }

  set(topic: string, text: string): string {
    const slot = slotOf(topic)
    this.#topics[slot] = topic
    this.#texts[slot] = text
    return text
  }
}

/** Mixes four digits that are random in addresses and in ids, and the last two, where siblings differ. */
function slotOf(topic: string): number {
  const digits =
    topic.charCodeAt(30) |
    (topic.charCodeAt(31) << 8) |
    (topic.charCodeAt(32) << 16) |
    (topic.charCodeAt(33) << 24)
  const last = topic.charCodeAt(64) | (topic.charCodeAt(65) << 8)
  return Math.imul(digits ^ Math.imul(last, 0x85ebca6b), 0x9e3779b1) >>> (32 - SLOT_BITS)
}
