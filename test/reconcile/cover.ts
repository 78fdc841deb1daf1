/** One for each outcome. */
export type Pair = readonly [bigint, bigint]

/** Something that took money in for its shares. `payouts` are what the outcomes get of it, once known. */
export type Debtor = { held: bigint; redemptions: bigint; payouts: Pair | undefined }

/** Whether the money that is held is what the shares can claim. */
export function isCovered({ held, redemptions, payouts }: Debtor, shares: Pair): boolean {
  if (payouts === undefined) return shares[0] === held && shares[1] === held
  const [first, second] = payouts
  const excess = held * (first + second) - shares[0] * first - shares[1] * second
  // Where both get a part, each redemption may leave up to one unit behind, and none ever takes one.
  const isShared = first > 0n && second > 0n
  return excess >= 0n && excess <= (isShared ? redemptions * (first + second) : 0n)
}
