/** Numbers of rows, both ends included. */
export type IdRange = { from: number; to: number }

/** What the checks that go over whole tables look at. */
export type Span = { tokens: IdRange; conditions: IdRange; blocks: IdRange }

const EVERY: IdRange = { from: 0, to: 2 ** 31 - 1 }

export const EVERYTHING: Span = { tokens: EVERY, conditions: EVERY, blocks: EVERY }
