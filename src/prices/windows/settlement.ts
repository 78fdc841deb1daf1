import assert from 'node:assert/strict'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { MEAN_SECONDS } from '../streams.js'
import type { WindowInterval } from './window.js'

/** Which price decides; the next one stands in where there is none of it. */
export type Kinds = readonly [PriceKind, ...PriceKind[]]

type Rule = { fromSec: number; kinds: Kinds }

const since = (date: string, kinds: Kinds): Rule => ({ fromSec: Date.parse(date) / 1000, kinds })
const always = (kinds: Kinds): Rule => ({ fromSec: 0, kinds })

/** Newest first. In August 2026 the platform went from the price of a moment to means of it. */
const RULES: Readonly<Record<WindowInterval, readonly Rule[]>> = {
  '5m': [
    since('2026-08-14', ['twap60', 'spot']),
    since('2026-08-07', ['twap30', 'spot']),
    always(['spot']),
  ],
  '15m': [since('2026-08-07', ['twap60', 'spot']), always(['spot'])],
  '1h': [always(['binance', 'spot'])],
  '4h': [since('2026-08-07', ['twap60', 'spot']), always(['spot'])],
}

/**
 * The prices that count at the boundary between two windows. They follow from the boundary alone, so
 * that one window ends at the price at which the next begins.
 */
export function kindsAt(interval: WindowInterval, boundarySec: number): Kinds {
  const rule = RULES[interval].find(({ fromSec }) => fromSec <= boundarySec)
  assert(rule !== undefined, 'a rule holds since the epoch')
  return rule.kinds
}

/** Over how many seconds the site is to take the mean; `undefined`: none, its variant says which price. */
export const lookbackSecOf = ([kind]: Kinds): number | undefined => MEAN_SECONDS[kind]
