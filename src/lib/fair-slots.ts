type Owner = number | string

type FairSlotsOptions = {
  slotsMax: number
  /** An owner that stands for many clients: it may have this many slots, whatever others hold. */
  reserved?: { owner: Owner; slots: number }
  /** The key has lost its slot. `isWanted`: owners have it claimed still, and lose it. */
  onEvicted: (key: string, isWanted: boolean) => void
}

/** An owner, and the keys whose slots count as its own, the least recently wanted first. */
type Holder = { readonly id: Owner; readonly paid: Set<string>; claims: number }

/** One of the owners that want a key pays for its slot. */
type Slot = { payer: Holder | undefined; readonly claims: Map<Holder, number> }

/**
 * Shares a bounded number of slots between owners. An owner may take all that are free. When none is, the next one
 * comes from
 *
 *   1. keys that no owner wants any more, the longest unwanted first
 *   2. if the owner has less than its share, the owner that is most over its own: the key that it wanted least
 *      recently loses its slot, unless an owner below its share wants it too and pays from now on
 */
export class FairSlots {
  readonly #options: FairSlotsOptions
  readonly #slots = new Map<string, Slot>()
  readonly #holders = new Map<Owner, Holder>()
  readonly #unwanted = new Set<string>()

  constructor(options: FairSlotsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#slots.size
  }

  /** How many of these keys have no slot. */
  countMissing(keys: Iterable<string>): number {
    let missing = 0
    for (const key of keys) if (!this.#slots.has(key)) missing += 1
    return missing
  }

  /**
   * `false`: the owner would not get slots for all of these keys, each named once. `true`: it would, unless it has to
   * pay meanwhile for others that it has claimed too.
   */
  canClaim(keys: readonly string[], owner: Owner): boolean {
    let unwanted = this.#unwanted.size
    for (const key of keys) if (this.#unwanted.has(key)) unwanted -= 1
    const missing = this.countMissing(keys) - (this.#options.slotsMax - this.#slots.size) - unwanted
    if (missing <= 0) return true
    const share = this.#shareFor(owner)
    const paid = this.#holders.get(owner)?.paid.size ?? 0
    if (paid + missing > this.#grantOf(owner, share)) return false
    let over = 0
    for (const holder of this.#victims(owner, share)) over += holder.paid.size - share
    return missing <= over
  }

  /** Counts one more claim of the owner; `false`: there is no slot, and nothing was claimed. */
  claim(key: string, owner: Owner): boolean {
    const known = this.#slots.get(key)
    if (known === undefined && !this.#makeRoom(owner)) return false
    const slot = known ?? { payer: undefined, claims: new Map() }
    const holder = this.#holders.get(owner) ?? { id: owner, paid: new Set(), claims: 0 }
    const claims = slot.claims.get(holder) ?? 0
    if (claims === 0) holder.claims += 1
    slot.claims.set(holder, claims + 1)
    this.#holders.set(owner, holder)
    this.#slots.set(key, slot)
    this.#unwanted.delete(key)
    const isReserved = this.#isReserved(owner)
    if (slot.payer === undefined || slot.payer === holder || isReserved) this.#pay(key, slot, holder)
    return true
  }

  /** Counts one claim of the owner less; `true`: no owner wants the key any more. It keeps its slot until it is removed. */
  release(key: string, owner: Owner): boolean {
    const slot = this.#slots.get(key)
    const holder = this.#holders.get(owner)
    const claims = holder && slot?.claims.get(holder)
    if (slot === undefined || holder === undefined || claims === undefined) return false
    if (claims > 1) {
      slot.claims.set(holder, claims - 1)
      return false
    }
    slot.claims.delete(holder)
    this.#endClaim(key, holder)
    const [next] = slot.claims.keys()
    if (slot.payer === holder) {
      slot.payer = undefined
      if (next !== undefined) this.#pay(key, slot, next)
    }
    if (next === undefined) this.#unwanted.add(key)
    return next === undefined
  }

  /** Frees the slot, and forgets all claims. */
  remove(key: string): void {
    for (const holder of this.#slots.get(key)?.claims.keys() ?? []) this.#endClaim(key, holder)
    this.#slots.delete(key)
    this.#unwanted.delete(key)
  }

  clear(): void {
    this.#slots.clear()
    this.#holders.clear()
    this.#unwanted.clear()
  }

  #isReserved(owner: Owner): boolean {
    return owner === this.#options.reserved?.owner
  }

  #pay(key: string, slot: Slot, holder: Holder): void {
    slot.payer?.paid.delete(key)
    slot.payer = holder
    holder.paid.add(key)
  }

  #endClaim(key: string, holder: Holder): void {
    holder.paid.delete(key)
    holder.claims -= 1
    if (holder.claims === 0) this.#holders.delete(holder.id)
  }

  #makeRoom(owner: Owner): boolean {
    if (this.#slots.size < this.#options.slotsMax) return true
    const [unwanted] = this.#unwanted
    if (unwanted === undefined) return this.#evictFor(owner)
    this.#evict(unwanted, false)
    return true
  }

  #evict(key: string, isWanted: boolean): void {
    this.remove(key)
    this.#options.onEvicted(key, isWanted)
  }

  #evictFor(owner: Owner): boolean {
    for (;;) {
      const share = this.#shareFor(owner)
      if ((this.#holders.get(owner)?.paid.size ?? 0) >= this.#grantOf(owner, share)) return false
      const victim = this.#victims(owner, share).reduce<Holder | undefined>(
        (most, holder) => (holder.paid.size > (most?.paid.size ?? 0) ? holder : most),
        undefined,
      )
      const [key] = victim?.paid ?? []
      if (victim === undefined || key === undefined) return false
      const slot = this.#slots.get(key)
      const next = [...(slot?.claims.keys() ?? [])].find((other) => other.paid.size < share)
      if (slot === undefined || next === undefined) {
        this.#evict(key, true)
        return true
      }
      this.#pay(key, slot, next)
    }
  }

  /** Those that may lose slots to this owner. */
  #victims(owner: Owner, share: number): Holder[] {
    const others = [...this.#holders.values()]
    return others.filter(({ id, paid }) => id !== owner && !this.#isReserved(id) && paid.size > share)
  }

  /** The share of each account, with this owner among them. */
  #shareFor(owner: Owner): number {
    const { slotsMax, reserved } = this.#options
    const standing = reserved && this.#holders.get(reserved.owner)
    const taken = this.#isReserved(owner) ? (reserved?.slots ?? 0) : (standing?.paid.size ?? 0)
    const isNew = !this.#holders.has(owner) && !this.#isReserved(owner)
    const accounts = this.#holders.size - (standing === undefined ? 0 : 1) + (isNew ? 1 : 0)
    return Math.max(1, Math.floor((slotsMax - taken) / Math.max(1, accounts)))
  }

  #grantOf(owner: Owner, share: number): number {
    return this.#isReserved(owner) ? (this.#options.reserved?.slots ?? 0) : share
  }
}
