import { findService, type ServiceFlags } from '../../config/service-address.js'
import { stopSignal } from '../../lib/stop-signal.js'
import { EventPrinter } from './event-printer.js'
import { followStream } from './follow-stream.js'
import { makeSubscription, type SubscriptionFlags } from './subscription.js'

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
  await followStream({
    url,
    key,
    subscription,
    onEvent: (event, sentMs) => ending.signal.aborted || printer.print(event, sentMs),
    untilReady: () => printer.untilReady(),
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
