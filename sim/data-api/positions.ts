/** What a wallet has and has made with one token. All are whole millionths, and divisions cut off. */
export type Position = {
  amount: bigint
  /** Below zero after conversions that freed more money than the shares had cost. */
  avgPrice: bigint
  realizedPnl: bigint
  totalBought: bigint
}

export type Step<Token> =
  | { op: 'buy' | 'sell'; token: Token; usd: bigint; shares: bigint }
  | { op: 'split' | 'merge'; tokens: readonly Token[]; amount: bigint }
  /** Without amounts all that is held is redeemed. */
  | {
      op: 'redeem'
      tokens: readonly Token[]
      numerators: readonly bigint[]
      amounts?: readonly bigint[]
    }
  /** The NO of some questions of a neg-risk event for the YES of all its others. */
  | { op: 'convert'; given: readonly Token[]; received: readonly Token[]; amount: bigint }
  /** Shares become others of the same worth; what they cost goes along. */
  | { op: 'migrate'; from: Token; to: Token; amount: bigint }

export const NO_POSITION: Position = { amount: 0n, avgPrice: 0n, realizedPnl: 0n, totalBought: 0n }

const ONE = 1_000_000n
const HALF = ONE / 2n

/** The positions that a step changes, as they are after it. A token comes at most once. */
export function applyStep<Token>(
  held: (token: Token) => Position,
  step: Step<Token>,
): [Token, Position][] {
  switch (step.op) {
    case 'buy':
    case 'sell': {
      // A fill can be so small that no share changes hands.
      if (step.shares === 0n) return []
      const price = (step.usd * ONE) / step.shares
      const change = step.op === 'buy' ? buy : sell
      return [[step.token, change(held(step.token), price, step.shares)]]
    }
    case 'split':
      return step.tokens.map((token) => [token, buy(held(token), HALF, step.amount)])
    case 'merge':
      return step.tokens.map((token) => [token, sell(held(token), HALF, step.amount)])
    case 'redeem':
      return redeem(held, step)
    case 'convert':
      return convert(held, step)
    case 'migrate':
      return migrate(held, step)
  }
}

function buy(held: Position, price: bigint, shares: bigint): Position {
  if (shares === 0n) return held
  const amount = held.amount + shares
  return {
    amount,
    avgPrice: (held.avgPrice * held.amount + price * shares) / amount,
    realizedPnl: held.realizedPnl,
    totalBought: held.totalBought + shares,
  }
}

/** Shares that came in by a plain transfer earn nothing: a sale counts up to what was bought. */
function sell(held: Position, price: bigint, shares: bigint): Position {
  const sold = shares < held.amount ? shares : held.amount
  return {
    amount: held.amount - sold,
    avgPrice: held.avgPrice,
    realizedPnl: held.realizedPnl + (sold * (price - held.avgPrice)) / ONE,
    totalBought: held.totalBought,
  }
}

function redeem<Token>(
  held: (token: Token) => Position,
  { tokens, numerators, amounts }: Extract<Step<Token>, { op: 'redeem' }>,
): [Token, Position][] {
  const sum = numerators.reduce((total, numerator) => total + numerator, 0n)
  return tokens.map((token, index) => {
    const position = held(token)
    const price = ((numerators[index] ?? 0n) * ONE) / sum
    return [token, sell(position, price, amounts?.[index] ?? position.amount)]
  })
}

function convert<Token>(
  held: (token: Token) => Position,
  { given, received, amount }: Extract<Step<Token>, { op: 'convert' }>,
): [Token, Position][] {
  const sold = given.map((token): [Token, Position] => {
    const position = held(token)
    return [token, sell(position, position.avgPrice, amount)]
  })
  if (received.length === 0) return sold

  const givenCount = BigInt(given.length)
  const noPrice = sold.reduce((sum, [, { avgPrice }]) => sum + avgPrice, 0n) / givenCount
  const freed = ONE * (givenCount - 1n)
  const yesPrice = (noPrice * givenCount - freed) / BigInt(received.length)
  const bought = received.map((token): [Token, Position] => [
    token,
    buy(held(token), yesPrice, amount),
  ])
  return [...sold, ...bought]
}

function migrate<Token>(
  held: (token: Token) => Position,
  { from, to, amount }: Extract<Step<Token>, { op: 'migrate' }>,
): [Token, Position][] {
  const before = held(from)
  const moved = amount < before.amount ? amount : before.amount
  return [
    [from, sell(before, before.avgPrice, moved)],
    [to, buy(held(to), before.avgPrice, moved)],
  ]
}
