import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { findService, type ServiceFlags } from '../../config/service-address.js'
import { stopSignal } from '../../lib/stop-signal.js'
import { formatLines, type TailEvent } from './event-line.js'
import { makeSubscription, type SubscriptionFlags } from './subscription.js'
import { tailStream } from './tail-stream.js'

export type TailFlags = SubscriptionFlags & ServiceFlags & { count?: number; json?: boolean }

/** Prints events until Ctrl-C, until `count` of them are printed, or until stdout is closed. */
export async function runTail(type: string, flags: TailFlags): Promise<void> {
  const { count: left = Number.POSITIVE_INFINITY, json: isJson = false } = flags
  const subscription = makeSubscription(type, flags)
  const { url: given, key } = findService(flags)
  const url = toSocketUrl(given)
  const ending = new AbortController()
  const end = () => ending.abort()
  stopSignal().addEventListener('abort', end)
  // What `auspex tail | head` does.
  process.stdout.on('error', end)
  const printer = new EventPrinter(process.stdout, { isJson, left, onLast: end })
  if (process.stdout.isTTY) console.error(`-- ${url.href}: ${type}. Ctrl-C ends.`)
  await tailStream({
    url,
    key,
    subscription,
    onEvent: (event, sentMs) => printer.print(event, sentMs),
    notify: (text) => console.error(text),
    signal: ending.signal,
  })
}

/** The event socket of a service, unless the address names one. */
export function toSocketUrl(address: URL): URL {
  const url = new URL(address.href.replace(/^http/, 'ws'))
  if (url.pathname === '/') url.pathname = '/ws'
  return url
}

/** A terminal, a pipe or a file. */
type Output = Writable & {
  isTTY?: boolean
  columns?: number
  hasColors?(): boolean
}

type PrinterOptions = {
  isJson: boolean
  /** This many events are printed, then `onLast` is called. */
  left: number
  onLast(): void
}

/** Prints one line for each event. */
export class EventPrinter {
  readonly #out: Output
  readonly #isJson: boolean
  readonly #onLast: () => void
  #left: number

  constructor(out: Output, { isJson, left, onLast }: PrinterOptions) {
    this.#out = out
    this.#isJson = isJson
    this.#left = left
    this.#onLast = onLast
  }

  /** Resolves when the output has taken what was printed before. */
  async print(event: TailEvent, sentMs?: number): Promise<void> {
    if (this.#left <= 0) return
    this.#left--
    const text = this.#isJson ? JSON.stringify(event) : this.#format(event, sentMs)
    this.#out.write(`${text}\n`)
    if (this.#left <= 0) this.#onLast()
    else if (this.#out.writableNeedDrain) await once(this.#out, 'drain').catch(() => undefined)
  }

  #format(event: TailEvent, sentMs: number | undefined): string {
    const { isTTY = false, columns } = this.#out
    const lines = formatLines(event, {
      hasColour: isTTY && this.#out.hasColors?.() === true,
      width: isTTY ? columns : undefined,
      sentMs,
    })
    return lines.join('\n')
  }
}
