/** A log without its place on the chain. Everything is lower-case hex with 0x. */
export type LogBody = { address: string; topics: readonly string[]; data: string }
