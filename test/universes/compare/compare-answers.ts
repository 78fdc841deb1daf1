import { type CompareOptions, Comparison, EnoughDifferences } from './comparison.js'
import { comparePositions } from './positions.js'
import { compareTrades } from './trades.js'

const PARTS: readonly ((comparison: Comparison) => Promise<void>)[] = [compareTrades, comparePositions]

/**
 * Asks a running service for everything that the chain decides, and says in words what is not as the model has it: at most
 * 20 differences, each with its request. Empty: every answer is right.
 */
export async function compareAnswers(options: CompareOptions): Promise<string[]> {
  const comparison = new Comparison(options)
  try {
    for (const compare of PARTS) await compare(comparison)
  } catch (error) {
    if (!(error instanceof EnoughDifferences)) throw error
  }
  return comparison.differences
}
