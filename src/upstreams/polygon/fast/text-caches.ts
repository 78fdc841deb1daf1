const PLACE_BITS = 15
const PLACES = 2 ** PLACE_BITS

/**
 * Texts of words of log data, found by their digits in a buffer. Each hash of a word has one place,
 * which the newest word takes, so the memory is bounded and nothing has to be evicted.
 */
export class WordCache {
  readonly #width: number
  readonly #octs: Float64Array
  readonly #quads: Int32Array
  readonly #keys: Float64Array
  readonly #texts: string[] = new Array(PLACES).fill('')

  /** `width`: how many doubles of eight digits each make a key. */
  constructor(digits: ArrayBufferLike, width: number) {
    this.#width = width
    this.#octs = new Float64Array(digits)
    this.#quads = new Int32Array(digits)
    this.#keys = new Float64Array(PLACES * width)
  }

  /** The text of the digits that begin at that double of the buffer, or the empty text. */
  get(oct: number): string {
    const place = this.#placeOf(oct)
    const from = place * this.#width
    for (let i = 0; i < this.#width; i++) if (this.#keys[from + i] !== this.#octs[oct + i]) return ''
    return this.#texts[place] ?? ''
  }

  /** The text must be that of the digits, and checked. */
  set(oct: number, text: string): string {
    const place = this.#placeOf(oct)
    this.#keys.set(this.#octs.subarray(oct, oct + this.#width), place * this.#width)
    this.#texts[place] = text
    return text
  }

  /** Ids that are made of fields differ in their first digits, in their last, or in both. */
  #placeOf(oct: number): number {
    const first = oct * 2
    const last = first + this.#width * 2 - 1
    const mixed =
      Math.imul((this.#quads[first + 1] ?? 0) ^ (this.#quads[first + 2] ?? 0), 0x9e3779b1) ^
      Math.imul((this.#quads[last] ?? 0) ^ Math.imul(this.#quads[last - 1] ?? 0, 31), 0x85ebca6b)
    return Math.imul(mixed ^ (mixed >>> 15), 0x9e3779b1) >>> (32 - PLACE_BITS)
  }
}

/** The same for topics, which are found by their own text. */
export class TopicCache {
  readonly #topics: string[] = new Array(PLACES).fill('')
  readonly #texts: string[] = new Array(PLACES).fill('')

  /** What was made of the topic, or the empty text. */
  get(topic: string): string {
    const place = placeOf(topic)
    return this.#topics[place] === topic ? (this.#texts[place] ?? '') : ''
  }

  set(topic: string, text: string): string {
    const place = placeOf(topic)
    this.#topics[place] = topic
    this.#texts[place] = text
    return text
  }
}

/** Mixes four digits that are random in addresses and in ids, and the last two, where siblings differ. */
function placeOf(topic: string): number {
  const digits =
    topic.charCodeAt(30) |
    (topic.charCodeAt(31) << 8) |
    (topic.charCodeAt(32) << 16) |
    (topic.charCodeAt(33) << 24)
  const last = topic.charCodeAt(64) | (topic.charCodeAt(65) << 8)
  return Math.imul(digits ^ Math.imul(last, 0x85ebca6b), 0x9e3779b1) >>> (32 - PLACE_BITS)
}
