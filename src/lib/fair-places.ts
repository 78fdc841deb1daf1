type Owner = number | string

type FairPlacesOptions = {
  placesMax: number
  /** An owner that stands for many clients: it may have this many places, whatever others hold. */
  reserved?: { owner: Owner; places: number }
  /** The key has lost its place. `isWanted`: owners have it claimed still, and lose it. */
  onEvicted: (key: string, isWanted: boolean) => void
}

/** An owner, and the keys whose places count as its own, the least recently wanted first. */
type Holder = { readonly id: Owner; readonly paid: Set<string>; claims: number }

/** One of the owners that want a key pays for its place. */
type Place = { payer: Holder | undefined; readonly claims: Map<Holder, number> }

/**
 * Shares a bounded number of places between owners. An owner may take all that are free. When none is, the next one
 * comes from
 *
 *   1. keys that no owner wants any more, the longest unwanted first
 *   2. if the owner has less than its share, the owner that is most over its own: the key that it wanted least
 *      recently loses its place, unless an owner below its share wants it too and pays from now on
 */
export class FairPlaces {
  readonly #options: FairPlacesOptions
  readonly #places = new Map<string, Place>()
  readonly #holders = new Map<Owner, Holder>()
  readonly #unwanted = new Set<string>()

  constructor(options: FairPlacesOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#places.size
  }

  /** How many of these keys have no place. */
  countMissing(keys: Iterable<string>): number {
    let missing = 0
    for (const key of keys) if (!this.#places.has(key)) missing += 1
    return missing
  }

  /**
   * `false`: the owner would not get places for all of these keys, each named once. `true`: it would, unless it has to
   * pay meanwhile for others that it has claimed too.
   */
  canClaim(keys: readonly string[], owner: Owner): boolean {
    let unwanted = this.#unwanted.size
    for (const key of keys) if (this.#unwanted.has(key)) unwanted -= 1
    const missing = this.countMissing(keys) - (this.#options.placesMax - this.#places.size) - unwanted
    if (missing <= 0) return true
    const share = this.#shareFor(owner)
    const paid = this.#holders.get(owner)?.paid.size ?? 0
    if (paid + missing > this.#grantOf(owner, share)) return false
    let over = 0
    for (const holder of this.#victims(owner, share)) over += holder.paid.size - share
    return missing <= over
  }

  /** Counts one more claim of the owner; `false`: there is no place, and nothing was claimed. */
  claim(key: string, owner: Owner): boolean {
    const known = this.#places.get(key)
    if (known === undefined && !this.#makeRoom(owner)) return false
    const place = known ?? { payer: undefined, claims: new Map() }
    const holder = this.#holders.get(owner) ?? { id: owner, paid: new Set(), claims: 0 }
    const claims = place.claims.get(holder) ?? 0
    if (claims === 0) holder.claims += 1
    place.claims.set(holder, claims + 1)
    this.#holders.set(owner, holder)
    this.#places.set(key, place)
    this.#unwanted.delete(key)
    const isReserved = this.#isReserved(owner)
    if (place.payer === undefined || place.payer === holder || isReserved) this.#pay(key, place, holder)
    return true
  }

  /** Counts one claim of the owner less; `true`: no owner wants the key any more. It keeps its place until it is removed. */
  release(key: string, owner: Owner): boolean {
    const place = this.#places.get(key)
    const holder = this.#holders.get(owner)
    const claims = holder && place?.claims.get(holder)
    if (place === undefined || holder === undefined || claims === undefined) return false
    if (claims > 1) {
      place.claims.set(holder, claims - 1)
      return false
    }
    place.claims.delete(holder)
    this.#endClaim(key, holder)
    const [next] = place.claims.keys()
    if (place.payer === holder) {
      place.payer = undefined
      if (next !== undefined) this.#pay(key, place, next)
    }
    if (next === undefined) this.#unwanted.add(key)
    return next === undefined
  }

  /** Frees the place, and forgets all claims. */
  remove(key: string): void {
    for (const holder of this.#places.get(key)?.claims.keys() ?? []) this.#endClaim(key, holder)
    this.#places.delete(key)
    this.#unwanted.delete(key)
  }

  clear(): void {
    this.#places.clear()
    this.#holders.clear()
    this.#unwanted.clear()
  }

  #isReserved(owner: Owner): boolean {
    return owner === this.#options.reserved?.owner
  }

  #pay(key: string, place: Place, holder: Holder): void {
    place.payer?.paid.delete(key)
    place.payer = holder
    holder.paid.add(key)
  }

  #endClaim(key: string, holder: Holder): void {
    holder.paid.delete(key)
    holder.claims -= 1
    if (holder.claims === 0) this.#holders.delete(holder.id)
  }

  #makeRoom(owner: Owner): boolean {
    if (this.#places.size < this.#options.placesMax) return true
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
      const place = this.#places.get(key)
      const next = [...(place?.claims.keys() ?? [])].find((other) => other.paid.size < share)
      if (place === undefined || next === undefined) {
        this.#evict(key, true)
        return true
      }
      this.#pay(key, place, next)
    }
  }

  /** Those that may lose places to this owner. */
  #victims(owner: Owner, share: number): Holder[] {
    const others = [...this.#holders.values()]
    return others.filter(({ id, paid }) => id !== owner && !this.#isReserved(id) && paid.size > share)
  }

  /** The share of each account, with this owner among them. */
  #shareFor(owner: Owner): number {
    const { placesMax, reserved } = this.#options
    const standing = reserved && this.#holders.get(reserved.owner)
    const taken = this.#isReserved(owner) ? (reserved?.places ?? 0) : (standing?.paid.size ?? 0)
    const isNew = !this.#holders.has(owner) && !this.#isReserved(owner)
    const accounts = this.#holders.size - (standing === undefined ? 0 : 1) + (isNew ? 1 : 0)
    return Math.max(1, Math.floor((placesMax - taken) / Math.max(1, accounts)))
  }

  #grantOf(owner: Owner, share: number): number {
    return this.#isReserved(owner) ? (this.#options.reserved?.places ?? 0) : share
  }
}
