import { compareActivity } from './activity.js'
import { compareBoards, compareTagBoards } from './boards.js'
import { compareBuilders } from './builders.js'
import { compareCandles } from './candles.js'
import { compareClosedPositions } from './closed-positions.js'
import { compareCombos } from './combos.js'
import { type CompareOptions, Comparison, EnoughDifferences } from './comparison.js'
import { compareConditions } from './conditions.js'
import { compareCopyPnl } from './copy-pnl.js'
import { compareExports } from './exports.js'
import { comparePositions } from './positions.js'
import { compareTrades } from './trades.js'
import { compareWallets } from './wallets.js'

const PARTS = {
  trades: compareTrades,
  positions: comparePositions,
  closedPositions: compareClosedPositions,
  wallets: compareWallets,
  activity: compareActivity,
  exports: compareExports,
  copyPnl: compareCopyPnl,
  candles: compareCandles,
  conditions: compareConditions,
  builders: compareBuilders,
  combos: compareCombos,
  boards: compareBoards,
  tagBoards: compareTagBoards,
}

/** What is compared: a group of answers that show the same facts. */
export type ComparedPart = keyof typeof PARTS

export const COMPARED_PARTS = Object.keys(PARTS) as readonly ComparedPart[]

/**
 * Asks a running service for everything that the chain decides, and says in words what is not as the model has it: at most
 * `differencesMax` differences, each with its request. Empty: every answer is right. `only`: of these parts alone.
 */
export async function compareAnswers(
  options: CompareOptions,
  only?: readonly ComparedPart[],
): Promise<string[]> {
  const comparison = new Comparison(options)
  await compareParts(comparison, only)
  return comparison.differences
}

/** The same for a caller who looks at what was asked. */
export async function compareParts(
  comparison: Comparison,
  only: readonly ComparedPart[] = COMPARED_PARTS,
): Promise<void> {
  try {
    for (const part of only) await PARTS[part](comparison)
  } catch (error) {
    if (!(error instanceof EnoughDifferences)) throw error
  }
}
