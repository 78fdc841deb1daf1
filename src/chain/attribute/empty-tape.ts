import type { Tape } from './tape.js'

export function emptyTape(): Tape {
  return {
    blocks: [],
    fills: [],
    splits: [],
    redemptions: [],
    conversions: [],
    migrations: [],
    transfers: [],
    supplies: [],
    fees: [],
    flows: [],
    preparations: [],
    resolutions: [],
    outcomes: [],
    oracle: [],
    negRiskMarkets: [],
    negRiskQuestions: [],
    combos: [],
    comboEvents: [],
    walletOwners: [],
    rawLogs: [],
    quarantine: [],
    unknownOperators: [],
  }
}
