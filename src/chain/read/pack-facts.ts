import type { BatchFacts } from '../facts/registry.js'

/**
 * The facts of a batch as bytes, which another thread gets without a copy. Texts come once, however
 * many facts name them: the first part has each with its length, the second has the facts, list by
 * list, the names of their fields first, then the values of each fact in the order of these names.
 */
export function packFacts(facts: BatchFacts): ArrayBuffer {
  const packer = new Packer()
  const lists = Object.entries(facts).filter(([, list]) => list.length > 0)
  packer.addNumber(lists.length)
  for (const [name, list] of lists) packer.addList(name, list)
  return packer.finish()
}

/** Adds facts to those of the blocks before, which it returns. */
export function unpackFacts(facts: BatchFacts, packed: ArrayBuffer): BatchFacts {
  const lists = facts as unknown as Record<string, object[]>
  const unpacker = new Unpacker(packed)
  for (let count = unpacker.takeNumber(); count > 0; count--) {
    const [name, added] = unpacker.takeList()
    const list = lists[name]
    if (list === undefined || list.length === 0) lists[name] = added
    else for (const fact of added) list.push(fact)
  }
  return facts
}

/** The byte before each value that says its type. */
const KIND = { absent: 0, no: 1, yes: 2, number: 3, amount: 4, large: 5, text: 6, array: 7 } as const
/** A kind and eight bytes. */
const VALUE_BYTES = 9
const FIRST_BYTES = 1 << 20
/** The largest number of eight bytes. */
const AMOUNT_MAX = 2n ** 63n - 1n

class Packer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #view = new DataView(this.#bytes.buffer)
  #end = 0
  /** The index of each text in the list of texts. */
  readonly #texts = new Map<string, number>()

  addNumber(value: number): void {
    this.#reserve(VALUE_BYTES)
    this.#view.setFloat64(this.#end, value, true)
    this.#end += 8
  }

  addList(name: string, list: readonly object[]): void {
    const fields = fieldsOf(list)
    this.#addText(name)
    this.addNumber(fields.length)
    for (const field of fields) this.#addText(field)
    this.addNumber(list.length)
    for (const fact of list as readonly Record<string, unknown>[]) {
      for (const field of fields) this.#addValue(fact[field])
    }
  }

  finish(): ArrayBuffer {
    const texts = [...this.#texts.keys()]
    const textBytes = texts.reduce((sum, text) => sum + 4 + Buffer.byteLength(text), 4)
    const packed = Buffer.allocUnsafeSlow(textBytes + this.#end)
    let at = packed.writeUInt32LE(texts.length)
    for (const text of texts) {
      const length = packed.write(text, at + 4)
      packed.writeUInt32LE(length, at)
      at += 4 + length
    }
    this.#bytes.copy(packed, at, 0, this.#end)
    return packed.buffer
  }

  #addValue(value: unknown): void {
    if (value === undefined) this.#addKind(KIND.absent)
    else if (typeof value === 'string') this.#addTextOf(KIND.text, value)
    else if (typeof value === 'number') {
      this.#addKind(KIND.number)
      this.addNumber(value)
    } else if (typeof value === 'bigint') this.#addBigint(value)
    else if (typeof value === 'boolean') this.#addKind(value ? KIND.yes : KIND.no)
    else this.#addArray(value)
  }

  #addBigint(value: bigint): void {
    if (value > AMOUNT_MAX || value < 0n) this.#addTextOf(KIND.large, value.toString())
    else {
      this.#addKind(KIND.amount)
      this.#view.setBigInt64(this.#end, value, true)
      this.#end += 8
    }
  }

  #addTextOf(kind: number, text: string): void {
    this.#addKind(kind)
    this.#addText(text)
  }

  #addArray(value: unknown): void {
    if (!Array.isArray(value)) throw new Error(`a fact has a value that cannot be packed: ${value}`)
    this.#addKind(KIND.array)
    this.addNumber(value.length)
    for (const item of value) this.#addValue(item)
  }

  /** With room for what follows it. */
  #addKind(kind: number): void {
    this.#reserve(VALUE_BYTES)
    this.#view.setUint8(this.#end, kind)
    this.#end += 1
  }

  #addText(text: string): void {
    let index = this.#texts.get(text)
    if (index === undefined) {
      index = this.#texts.size
      this.#texts.set(text, index)
    }
    this.#reserve(VALUE_BYTES)
    this.#view.setUint32(this.#end, index, true)
    this.#end += 4
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 * this.#bytes.length + bytes)
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
    this.#view = new DataView(larger.buffer)
  }
}

/** Of a kind some facts may lack a field. */
function fieldsOf(list: readonly object[]): string[] {
  const fields = new Set<string>()
  for (const fact of list) for (const field in fact) fields.add(field)
  return [...fields]
}

class Unpacker {
  readonly #view: DataView
  readonly #texts: string[]
  #at: number

  constructor(bytes: ArrayBuffer) {
    this.#view = new DataView(bytes)
    const packed = Buffer.from(bytes)
    const count = packed.readUInt32LE(0)
    this.#texts = new Array<string>(count)
    let at = 4
    for (let index = 0; index < count; index++) {
      const length = packed.readUInt32LE(at)
      this.#texts[index] = packed.toString('utf8', at + 4, at + 4 + length)
      at += 4 + length
    }
    this.#at = at
  }

  takeNumber(): number {
    this.#at += 8
    return this.#view.getFloat64(this.#at - 8, true)
  }

  takeList(): [name: string, list: object[]] {
    const name = this.#takeText()
    const fields = Array.from({ length: this.takeNumber() }, () => this.#takeText())
    const list = Array.from({ length: this.takeNumber() }, () => {
      const fact: Record<string, unknown> = {}
      for (const field of fields) fact[field] = this.#takeValue()
      return fact
    })
    return [name, list]
  }

  #takeValue(): unknown {
    const kind = this.#view.getUint8(this.#at++)
    switch (kind) {
      case KIND.absent:
        return undefined
      case KIND.no:
        return false
      case KIND.yes:
        return true
      case KIND.number:
        return this.takeNumber()
      case KIND.amount:
        this.#at += 8
        return this.#view.getBigInt64(this.#at - 8, true)
      case KIND.large:
        return BigInt(this.#takeText())
      case KIND.text:
        return this.#takeText()
      case KIND.array:
        return Array.from({ length: this.takeNumber() }, () => this.#takeValue())
      default:
        throw new Error(`packed facts have no kind ${kind}`)
    }
  }

  #takeText(): string {
    this.#at += 4
    return this.#texts[this.#view.getUint32(this.#at - 4, true)] ?? ''
  }
}
