/**
 * Texts of words that come again and again, found by their digits in a buffer: the text is then
 * neither cut out nor checked again, and all who hold it share one string. Each hash has one place,
 * which the newest word takes, so the memory has a bound without any upkeep.
 */
export class KnownWords {
  readonly #width: number
  readonly #octs: Float64Array
  readonly #quads: Int32Array
  readonly #keys: Float64Array
  readonly #texts: string[] = new Array(PLACES).fill('')

  /** `digits`: where the words lie; `width`: how many eights of digits tell them apart. */
  constructor(digits: ArrayBufferLike, width: number) {
    this.#width = width
    this.#octs = new Float64Array(digits)
    this.#quads = new Int32Array(digits)
    this.#keys = new Float64Array(PLACES * width)
  }

  /** The text whose digits begin at that eight of the buffer, or the empty text. */
  get(oct: number): string {
    const place = this.#placeOf(oct)
    const from = place * this.#width
    for (let i = 0; i < this.#width; i++)
      if (this.#keys[from + i] !== this.#octs[oct + i]) return ''
    return this.#texts[place] ?? ''
  }

  /** The text must be that of the digits, all of them good. */
  learn(oct: number, text: string): string {
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

const PLACE_BITS = 15
const PLACES = 2 ** PLACE_BITS
