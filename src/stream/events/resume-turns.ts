/** Resumptions of one account that read the log at the same time; the others wait for their turn. */
const PER_ACCOUNT_MAX = 2

type Account = { running: number; waiting: (() => void)[] }

/**
 * Bounds how many clients of an account read the log of events at once: reading a day of it keeps the
 * database busy for minutes.
 */
export class ResumeTurns {
  readonly #accounts = new Map<number, Account>()

  /** Resolves with the function that ends the turn, to be called once. */
  async take(accountId: number): Promise<() => void> {
    const account = this.#accounts.get(accountId) ?? { running: 0, waiting: [] }
    this.#accounts.set(accountId, account)
    if (account.running < PER_ACCOUNT_MAX) account.running++
    // The turn that ends is handed over: the count stays.
    else await new Promise<void>((resolve) => account.waiting.push(resolve))
    return () => {
      const next = account.waiting.shift()
      if (next !== undefined) return next()
      account.running--
      if (account.running === 0) this.#accounts.delete(accountId)
    }
  }
}
