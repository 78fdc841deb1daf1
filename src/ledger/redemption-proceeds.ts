export type Fraction = { numerator: bigint; denominator: bigint }

/**
 * The money that each given token of a two-outcome condition brought, together never more than the
 * payout. `worth` is the value of a share of each; without it the payout tells.
 */
export function proceedsOf(
  amounts: readonly bigint[],
  payout: bigint,
  worth: readonly Fraction[] | undefined,
): bigint[] {
  const [first, second] = amounts
  if (first === undefined) return []
  if (second === undefined) return [payout]
  if (worth === undefined) return infer(first, second, payout)

  let left = payout
  return amounts.map((amount, leg) => {
    const proceeds = least(left, worthOf(amount, worth[leg]))
    left -= proceeds
    return proceeds
  })
}

/** The contract rounds each leg down. */
const worthOf = (amount: bigint, worth: Fraction | undefined): bigint =>
  worth === undefined ? 0n : (amount * worth.numerator) / worth.denominator

/**
 * With p for the first outcome and 1 - p for the second, `payout = first * p + second * (1 - p)`.
 * Equal amounts pay the same whatever p is: then each leg gets half, and the first one the odd unit.
 * The payout was rounded down, so p may come out a little beyond 0 and 1.
 */
function infer(first: bigint, second: bigint, payout: bigint): bigint[] {
  const ofFirst =
    first === second ? payout - payout / 2n : (first * (payout - second)) / (first - second)
  const within = least(least(first, payout), ofFirst > 0n ? ofFirst : 0n)
  return [within, payout - within]
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
