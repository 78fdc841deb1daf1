/** Why a wallet could not be compared, in words. */
export class CannotCompare extends Error {
  override name = 'CannotCompare'
}
