import { OperatorError } from '../core/errors.js'

/** Why a wallet could not be compared, in words. */
export class CannotCompare extends Error {
  override name = 'CannotCompare'
}

/** The exit code when a wallet, or any, could not be compared. */
export const NOT_COMPARED = 2

/** The end of a comparison that found differences. Its exit code is that of no other failure. */
export class DifferencesFound extends OperatorError {
  override name = 'DifferencesFound'

  constructor(count: number) {
    super(`${count} difference${count === 1 ? '' : 's'} found.`, 1)
  }
}
