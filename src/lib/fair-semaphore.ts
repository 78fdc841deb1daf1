import { onAbort } from './abort.js'

type Limits = {
  /** Slots of all owners together. */
  totalMax?: number
  /** Requests of all owners that may wait. */
  waitingMax?: number
}

type Owner = number | string

export type SlotRequest = {
  /** Whose share it is: an account, or an address. */
  owner: Owner
  /** Slots that the owner may hold at once. A function is called whenever a slot may be granted. */
  ownMax: number | (() => number)
  /** Requests of the owner that may wait. */
  ownWaitingMax?: number
  /** How long the request may wait; 0: not at all; absent: without limit. */
  waitMsMax?: number
  /** Ends the wait, with its reason. */
  signal?: AbortSignal
  /** What a refused request rejects with. `own`: because of other requests of its own owner. */
  refuse?: (inTheWay: 'own' | 'others') => Error
}

/** `arrival`: its number in the order in which requests began to wait. */
type Waiter = Pick<SlotRequest, 'owner' | 'ownMax'> & { arrival: number; begin: () => void }

/**
 * Bounds what runs at once, in all and of each owner.
 *
 *   running  while the owner and the whole have a free slot
 *   waiting  else. The next slot goes to the owner with the fewest running, and among equals to the first
 *   refused  when too many wait already, or when the wait is over
 */
export class FairSemaphore {
  readonly #limits: Required<Limits>
  readonly #running = new Map<Owner, number>()
  /** By owner, each in the order of arrival: to grant a slot takes a step for each owner, not for each waiter. */
  readonly #waiters = new Map<Owner, Set<Waiter>>()
  #total = 0
  #waiting = 0
  #lastArrival = 0

  constructor({ totalMax = Number.POSITIVE_INFINITY, waitingMax = Number.POSITIVE_INFINITY }: Limits = {}) {
    this.#limits = { totalMax, waitingMax }
  }

  get running(): number {
    return this.#total
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Runs the work in a slot. */
  async run<Result>(request: SlotRequest, work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire(request)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Resolves with what frees the slot again, to be called once. */
  async acquire(request: SlotRequest): Promise<() => void> {
    request.signal?.throwIfAborted()
    const release = this.acquireNow(request)
    if (release !== undefined) return release
    await this.#wait(request)
    return () => this.#end(request.owner)
  }

  /** The same without waiting; `undefined`: no slot is free. */
  acquireNow({ owner, ownMax }: Pick<SlotRequest, 'owner' | 'ownMax'>): (() => void) | undefined {
    if (!this.#hasSlot({ owner, ownMax })) return undefined
    this.#begin(owner)
    return () => this.#end(owner)
  }

  /** Gives free slots to those who wait, for owners whose `ownMax` has grown. */
  startWaiting(): void {
    for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) next.begin()
  }

  #wait(request: SlotRequest): Promise<void> {
    const { owner, ownMax, ownWaitingMax = Number.POSITIVE_INFINITY, waitMsMax, signal } = request
    const { refuse = () => new Error('all slots are taken') } = request
    if ((this.#waiters.get(owner)?.size ?? 0) >= ownWaitingMax) return Promise.reject(refuse('own'))
    const refusal = () => refuse(this.#hasOwnSlot(request) ? 'others' : 'own')
    if (waitMsMax === 0 || this.waiting >= this.#limits.waitingMax) return Promise.reject(refusal())
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const leave = () => {
        clearTimeout(timer)
        stopListening()
        this.#leave(waiter)
      }
      const begin = () => {
        leave()
        this.#begin(owner)
        resolve()
      }
      const waiter = { owner, ownMax, arrival: ++this.#lastArrival, begin }
      const fail = (error: unknown) => {
        leave()
        reject(error)
      }
      const stopListening =
        signal === undefined ? () => undefined : onAbort(signal, () => fail(signal.reason))
      if (waitMsMax !== undefined) timer = setTimeout(() => fail(refusal()), waitMsMax)
      this.#enter(waiter)
    })
  }

  #enter(waiter: Waiter): void {
    const own = this.#waiters.get(waiter.owner) ?? new Set()
    this.#waiters.set(waiter.owner, own.add(waiter))
    this.#waiting++
  }

  #leave(waiter: Waiter): void {
    const own = this.#waiters.get(waiter.owner)
    if (own?.delete(waiter) !== true) return
    if (own.size === 0) this.#waiters.delete(waiter.owner)
    this.#waiting--
  }

  #begin(owner: Owner): void {
    this.#total++
    this.#running.set(owner, this.#runningOf(owner) + 1)
  }

  #end(owner: Owner): void {
    this.#total--
    const left = this.#runningOf(owner) - 1
    if (left === 0) this.#running.delete(owner)
    else this.#running.set(owner, left)
    this.#findNext()?.begin()
  }

  #findNext(): Waiter | undefined {
    let next: Waiter | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [owner, [first]] of this.#waiters) {
      const running = this.#runningOf(owner)
      if (first === undefined || running > fewest || !this.#hasSlot(first)) continue
      if (running === fewest && next !== undefined && next.arrival < first.arrival) continue
      next = first
      fewest = running
    }
    return next
  }

  #hasSlot(waiter: Pick<Waiter, 'owner' | 'ownMax'>): boolean {
    return this.#total < this.#limits.totalMax && this.#hasOwnSlot(waiter)
  }

  #hasOwnSlot({ owner, ownMax }: Pick<Waiter, 'owner' | 'ownMax'>): boolean {
    return this.#runningOf(owner) < (typeof ownMax === 'number' ? ownMax : ownMax())
  }

  #runningOf(owner: Owner): number {
    return this.#running.get(owner) ?? 0
  }
}
