import {
  EVENT_COLUMNS,
  formatNumber,
  isEventFields,
  shortenWallet,
  showOther,
  toPlainText,
} from './event-columns.js'

/** An event message, or a message about a book. */
export type TailEvent = { type: string; [field: string]: unknown }

type LineOptions = {
  hasColour: boolean
  /** Of the terminal: longer lines are cut. `undefined`: lines may have any length. */
  width: number | undefined
  /** When the message was sent that the event came in, if it says so. */
  sentMs?: number | undefined
}

/** The lines of an event: one, or one for each level that changed in a book. */
export function formatLines(event: TailEvent, options: LineOptions): string[] {
  const { assets } = event
  if (!Array.isArray(assets) || assets.length < 2) return [formatEvent(event, options)]
  return assets.map((asset) => formatEvent({ ...event, assets: [asset] }, options))
}

type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim'

const CODES: Record<Colour, string> = {
  red: '\x1b[31m',
  green: '\x1b[32m',
  yellow: '\x1b[33m',
  cyan: '\x1b[36m',
  dim: '\x1b[2m',
}
const PLAIN = '\x1b[0m'

/** One line: time, type, side, size, price, worth, wallet, and what it is about. */
export function formatEvent(event: TailEvent, options: LineOptions): string {
  const { hasColour, width, sentMs } = options
  const data = isEventFields(event.data) ? event.data : event
  // Flat fills are sent as `event`.
  const type = event.type === 'event' ? 'fill' : toPlainText(event.type)
  const { side, size, price, usd, wallet, text } = (EVENT_COLUMNS[type] ?? showOther)(data)
  const cells: [text: string, colour?: Colour | undefined][] = [
    [formatTime(event.timestamp ?? data.timestamp ?? event.ts ?? sentMs), 'dim'],
    [type.padEnd(15), data.status === 'pending' ? 'yellow' : 'cyan'],
    [toPlainText(side).padEnd(4), SIDE_COLOURS[toPlainText(side)]],
    [formatNumber(size, 2).padStart(12)],
    [formatNumber(price, 4).padStart(7)],
    [formatUsd(usd).padStart(12)],
    [shortenWallet(wallet).padEnd(11), 'dim'],
    [text.map(toPlainText).filter(Boolean).join(' · ')],
  ]
  const line = (paint: (text: string, colour?: Colour) => string) =>
    cells.map(([cell, colour]) => paint(cell, colour)).join('  ')
  const plain = line((cell) => cell).trimEnd()
  if (!hasColour) return plain.slice(0, width)
  // The last cell is the only one that is cut, so that colours stay whole.
  const last = cells.at(-1)
  const surplus = Math.max(0, plain.length - (width ?? Number.POSITIVE_INFINITY))
  if (last !== undefined) last[0] = last[0].slice(0, Math.max(0, last[0].length - surplus))
  return line((cell, colour) => (colour === undefined ? cell : `${CODES[colour]}${cell}${PLAIN}`))
}

const SIDE_COLOURS: { readonly [side: string]: Colour } = {
  BUY: 'green',
  SELL: 'red',
  YES: 'green',
  NO: 'red',
}

/** `12:00:03.412`, UTC. Some messages have seconds, some none. */
function formatTime(timestamp: unknown): string {
  const time = Number(timestamp)
  if (!Number.isFinite(time) || time <= 0) return ''.padEnd(12)
  const date = new Date(time < SECONDS_MAX ? time * 1_000 : time)
  return Number.isNaN(date.getTime()) ? ''.padEnd(12) : date.toISOString().slice(11, 23)
}

const SECONDS_MAX = 100_000_000_000

function formatUsd(value: unknown): string {
  const text = formatNumber(value, 2)
  return text === '' ? '' : `$${text}`
}
