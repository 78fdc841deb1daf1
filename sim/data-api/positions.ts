/**
 * What a wallet has and has made with one token, in whole millionths. Cost is a total and never an
 * average, so nothing is lost between purchases. Divisions cut off, and what is left over stays with the
 * shares that are still there.
 */
export type Position = {
  /** Shares on the chain. */
  balance: bigint
  /** Those of them that were bought. The others came as gifts: they cost nothing and earn nothing. */
  held: bigint
  /** Of the held ones. Below zero after conversions that freed more money than the shares had cost. */
  cost: bigint
  realized: bigint
  bought: bigint
  boughtCost: bigint
}

export type Step<Token> =
  | { op: 'buy' | 'sell'; token: Token; usd: bigint; shares: bigint }
  | { op: 'split' | 'merge'; tokens: readonly Token[]; amount: bigint }
  | { op: 'redeem'; token: Token; usd: bigint; shares: bigint }
  /** The NO of some questions of a neg-risk event for the YES of all its others, and for money. */
  | {
      op: 'convert'
      given: readonly Token[]
      amount: bigint
      received: readonly Token[]
      /** Of each token that is received. */
      shares: bigint
      usd: bigint
    }
  /** Shares become others of the same worth; what they cost goes along. */
  | { op: 'migrate'; from: Token; to: Token; amount: bigint }
  | { op: 'receive' | 'give'; token: Token; amount: bigint }

export const NO_POSITION: Position = {
  balance: 0n,
  held: 0n,
  cost: 0n,
  realized: 0n,
  bought: 0n,
  boughtCost: 0n,
}

const ONE = 1_000_000n

/** What a held share cost in the mean; when none is left, what a share that was ever bought did. 0 without any. */
export function averagePriceOf({ held, cost, bought, boughtCost }: Position): bigint {
  if (held > 0n) return (cost * ONE) / held
  return bought === 0n ? 0n : (boughtCost * ONE) / bought
}

/** The positions that a step changes, as they are after it. A token comes at most once. */
export function applyStep<Token>(of: (token: Token) => Position, step: Step<Token>): [Token, Position][] {
  switch (step.op) {
    case 'buy':
      // A fill can be so small that no share changes hands.
      return step.shares === 0n ? [] : [[step.token, buy(of(step.token), step.shares, step.usd)]]
    case 'sell':
    case 'redeem':
      return step.shares === 0n ? [] : [[step.token, sell(of(step.token), step.shares, step.usd)]]
    case 'split':
    case 'merge': {
      const change = step.op === 'split' ? buy : sell
      const parts = divide(step.amount, step.tokens.length)
      return step.tokens.map((token, index) => [token, change(of(token), step.amount, parts[index] ?? 0n)])
    }
    case 'convert':
      return convert(of, step)
    case 'migrate':
      return migrate(of, step)
    case 'receive': {
      const before = of(step.token)
      return [[step.token, { ...before, balance: before.balance + step.amount }]]
    }
    case 'give':
      return [[step.token, give(of(step.token), step.amount)]]
  }
}

function buy(before: Position, shares: bigint, usd: bigint): Position {
  return {
    balance: before.balance + shares,
    held: before.held + shares,
    cost: before.cost + usd,
    realized: before.realized,
    bought: before.bought + shares,
    boughtCost: before.boughtCost + usd,
  }
}

/** A sale counts up to what is held, with the same part of the money. */
function sell(before: Position, shares: bigint, usd: bigint): Position {
  const { position, moved, cost } = takeHeld(before, shares)
  return {
    ...position,
    balance: before.balance - shares,
    realized: before.realized + (usd * moved) / shares - cost,
  }
}

/** Shares that cost nothing leave first. */
function give(before: Position, shares: bigint): Position {
  const gifts = before.balance - before.held
  const { position } = takeHeld(before, shares > gifts ? shares - gifts : 0n)
  return { ...position, balance: before.balance - shares }
}

/** Takes held shares out with their part of the cost, as far as there are any. */
function takeHeld(before: Position, shares: bigint) {
  const moved = shares < before.held ? shares : before.held
  const cost = moved === 0n ? 0n : (before.cost * moved) / before.held
  return {
    position: { ...before, held: before.held - moved, cost: before.cost - cost },
    moved,
    cost,
  }
}

/**
 * What the given shares cost, less the money that came back, is the cost of those received. When nothing but
 * money comes back, it is a sale. When some of the given shares were gifts, the same part of what came back is one.
 */
function convert<Token>(
  of: (token: Token) => Position,
  { given, amount, received, shares, usd }: Extract<Step<Token>, { op: 'convert' }>,
): [Token, Position][] {
  const taken = given.map((token) => takeHeld(of(token), amount))
  const moved = taken.reduce((sum, part) => sum + part.moved, 0n)
  const whole = amount * BigInt(given.length)
  const bought = received.length === 0 ? 0n : (shares * moved) / whole
  if (bought === 0n) {
    const parts = divide(usd, given.length)
    return given.map((token, index) => [token, sell(of(token), amount, parts[index] ?? 0n)])
  }
  const basis = taken.reduce((sum, { cost }) => sum + cost, 0n) - (usd * moved) / whole
  const costs = divide(basis, received.length)
  return [
    ...taken.map(({ position }, index): [Token, Position] => [
      given[index] as Token,
      { ...position, balance: position.balance - amount },
    ]),
    ...received.map((token, index): [Token, Position] => {
      const after = buy(of(token), bought, costs[index] ?? 0n)
      return [token, { ...after, balance: of(token).balance + shares }]
    }),
  ]
}

/** Shares that move were bought where they arrive. */
function migrate<Token>(
  of: (token: Token) => Position,
  { from, to, amount }: Extract<Step<Token>, { op: 'migrate' }>,
): [Token, Position][] {
  const { position, moved, cost } = takeHeld(of(from), amount)
  const arrived = buy(of(to), moved, cost)
  return [
    [
      from,
      {
        ...position,
        balance: position.balance - amount,
        bought: position.bought - moved,
        boughtCost: position.boughtCost - cost,
      },
    ],
    [to, { ...arrived, balance: of(to).balance + amount }],
  ]
}

/** Equal parts; what does not come out even is the first one's. */
function divide(amount: bigint, count: number): bigint[] {
  const part = amount / BigInt(count)
  const first = amount - part * BigInt(count - 1)
  return Array.from({ length: count }, (_, index) => (index === 0 ? first : part))
}
