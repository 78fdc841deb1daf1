import { COIN_CODES } from './coins.js'

export const WINDOW_SEC = 300

/** Unix seconds at which the window that is running at that moment began. */
export const windowStartAt = (ms: number): number =>
  Math.floor(ms / (WINDOW_SEC * 1000)) * WINDOW_SEC

/** The slugs of the events of one window, a coin each. */
export const windowSlugs = (startSec: number): string[] =>
  COIN_CODES.map((coin) => `${coin}-updown-5m-${startSec}`)
