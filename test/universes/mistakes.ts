import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A mistake of a programmer: `right` stands once in the built file of the service, and `wrong` takes its place. */
export type Mistake = { name: string; file: string; right: string; wrong: string }

/** Each is one that users would have to pay for. The universes must find every one of them. */
export const MISTAKES: readonly Mistake[] = [
  {
    name: 'a cost is rounded the other way',
    file: 'ledger/position.js',
    right: 'const cost = (holding.cost * shares) / holding.held;',
    wrong: 'const cost = (holding.cost * shares + holding.held - 1n) / holding.held;',
  },
  {
    name: 'a fee in shares is not taken off',
    file: 'ledger/fill.js',
    right: 'const received = fill.isFeeInShares ? shares - fill.fee : shares;',
    wrong: 'const received = shares;',
  },
  {
    name: 'makers count into candles',
    file: 'ledger/fill.js',
    right: 'const market = fill.isTaker ? openMarket(books, fill) : undefined;',
    wrong: 'const market = openMarket(books, fill);',
  },
  {
    name: 'a reorganisation is one block short',
    file: 'chain/write/block-writer.js',
    right: 'await revertLedger(tx, toBlock, await insertReorg(tx, toBlock));',
    wrong: 'await revertLedger(tx, toBlock + 1, await insertReorg(tx, toBlock));',
  },
  {
    name: 'an event is dropped at a resume',
    file: 'stream/events/replay.js',
    right: "this.#cursor = start.kind === 'seq' ? start.afterSeq : 0;",
    wrong: "this.#cursor = start.kind === 'seq' ? start.afterSeq + 1 : 0;",
  },
  {
    name: 'a commit whose answer was lost is taken for one that failed',
    file: 'events/live-events.js',
    right: 'if (lastSeq !== undefined && (await this.#eventLog.has(sql, lastSeq)))',
    wrong: 'if (lastSeq === Number.NaN)',
  },
  {
    name: 'a webhook is marked as sent before it is',
    file: 'webhooks/deliver/sender.js',
    right: 'success: error === undefined,',
    wrong: 'success: true,',
  },
  {
    name: 'webhooks leave out a block where several came at once',
    file: 'webhooks/match/step-range.js',
    right: 'return { afterSeq: seq, toSeq: headSeq, headSeq };',
    wrong: 'return { afterSeq: Math.max(seq, headSeq - 2 ** 20), toSeq: headSeq, headSeq };',
  },
  {
    name: 'a cursor skips a row',
    file: 'http/list.js',
    right: 'const last = shown.at(-1);',
    wrong: 'const last = keys.at(-1);',
  },
  {
    name: 'a revoked key goes on',
    file: 'accounts/key-ring.js',
    right: 'if (revision !== this.#revision) {',
    wrong: 'if (this.#revision === -1n) {',
  },
  {
    name: 'requests are counted twice',
    file: 'accounts/usage-meter.js',
    right: 'meters.api_requests = (meters.api_requests ?? 0) + 1;',
    wrong: 'meters.api_requests = (meters.api_requests ?? 0) + 2;',
  },
]

/** What the built service reads beside its code. */
const BESIDE = ['package.json', 'node_modules', 'docs', 'client']

/** The file of the built service with the mistake in it. Throws when the code is not as it was when the mistake was found. */
export function spoilFile(root: string, { name, file, right, wrong }: Mistake): string {
  const parts = readFileSync(join(root, 'dist/src', file), 'utf8').split(right)
  if (parts.length !== 2) {
    throw new Error(`"${name}" no longer fits dist/src/${file}: ${parts.length - 1} places, not one`)
  }
  return parts.join(wrong)
}

/** A copy of the built service with the mistake in it. Returns its program. */
export function buildMistaken(root: string, mistake: Mistake, folder: string): string {
  mkdirSync(join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'dist/src'), join(folder, 'dist/src'), { recursive: true })
  for (const name of BESIDE) symlinkSync(join(root, name), join(folder, name))
  writeFileSync(join(folder, 'dist/src', mistake.file), spoilFile(root, mistake))
  return join(folder, 'dist/src/main.js')
}
