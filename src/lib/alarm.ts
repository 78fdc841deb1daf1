import { onAbort } from './abort.js'

/** A pause of one loop that others can end. A ring while the loop works ends its next pause at once. */
export class Alarm {
  #isRung = false
  #end = (): void => undefined

  ring(): void {
    this.#isRung = true
    this.#end()
  }

  /** Waits until the time is over, the alarm rings or the signal aborts. */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted) {
      let unlink = () => {}
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        this.#end = resolve
        timer = setTimeout(resolve, ms)
        unlink = onAbort(signal, resolve)
      })
      clearTimeout(timer)
      unlink()
      this.#end = () => undefined
    }
    this.#isRung = false
  }
}
