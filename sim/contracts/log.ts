/** A log without its block and index. Everything is lower-case hex with 0x. */
export type LogBody = { address: string; topics: readonly string[]; data: string }
