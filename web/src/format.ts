const LOCALE = 'en-US'

const DOLLARS = new Intl.NumberFormat(LOCALE, { style: 'currency', currency: 'USD' })
const SHORT_DOLLARS = new Intl.NumberFormat(LOCALE, {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
})
const COUNT = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 })
const AMOUNT = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 })
const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const DATE_TIME = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

export const formatDollars = (dollars: number): string => DOLLARS.format(dollars)
export const formatShortDollars = (dollars: number): string => SHORT_DOLLARS.format(dollars)
export const formatCount = (count: number): string => COUNT.format(count)
/** Dollars or shares, of an amount that the API gives in millionths. */
export const fromMillionths = (amount: number | string | null): number => Number(amount) / 1_000_000

export const formatAmount = (amount: number): string => AMOUNT.format(amount)

/** A gain has a plus sign, so that colour is not the only difference. */
export const formatGain = (dollars: number): string => `${dollars > 0 ? '+' : ''}${DOLLARS.format(dollars)}`

/** The price of a share as the platform's traders say it: in cents, which is also the probability in per cent. */
export function formatPrice(price: number): string {
  const cents = Math.round(price * 1_000) / 10
  return `${cents}¢`
}

export const formatPercent = (part: number): string => `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`

/** `0x60c5…f48e`. */
export const shortenAddress = (address: string): string =>
  /^0x[0-9a-f]{40}/i.test(address) ? `${address.slice(0, 6)}…${address.slice(-4)}` : address

const DAY_MS = 86_400_000

/** Of times that are near the time alone. */
export const formatTime = (ms: number): string =>
  Math.abs(Date.now() - ms) < DAY_MS / 2 ? TIME.format(ms) : DATE_TIME.format(ms)

/** `2026-11-17 17:05:31 UTC`. */
export const formatUtc = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Seconds in the two largest units. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3_600) % 24,
    Math.floor(whole / 60) % 60,
  ]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  if (minutes > 0) return `${minutes} min ${whole % 60} s`
  return `${whole} s`
}

/** Bytes in the unit that fits, 1 GB = 1,000,000,000 bytes. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${AMOUNT.format(bytes / 1_000 ** power)} ${units[power]}`
}

/** Unix seconds as a number or text, Unix milliseconds, or a date as text, in milliseconds. */
export function toMs(time: number | string): number {
  const seconds = Number(time)
  if (Number.isNaN(seconds)) return Date.parse(String(time).replace(' ', 'T').replace(/\+00$/, 'Z'))
  return seconds < 1e11 ? seconds * 1_000 : seconds
}
