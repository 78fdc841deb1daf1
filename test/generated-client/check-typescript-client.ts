import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { DemoFile } from '../../demo/demo-file.js'
import { counts } from '../counts.js'

const FOLDER = import.meta.dirname
const GENERATED = join(FOLDER, 'generated')
/** The generator needs TypeScript 5, unlike the rest of the repository: the workspace of the client has both. */
const PACKAGES = '../../client/node_modules'

async function run(script: string, ...args: string[]): Promise<string> {
  const options = { cwd: FOLDER, maxBuffer: 2 ** 24 }
  const running = promisify(execFile)(process.execPath, [script, ...args], options)
  // The compiler writes its errors to the standard output.
  const { stdout } = await running.catch((error) => expect.fail(`${error} ${error.stdout}`))
  return stdout
}

const generateTypes = (document: string, file: string) =>
  run(`${PACKAGES}/openapi-typescript/bin/cli.js`, document, '--output', join(GENERATED, file))

/** The native compiler of this repository takes an eighth of the time of the one that `docs/api.md` names. */
const COMPILER = counts({
  short: '../../node_modules/typescript/bin/tsc',
  long: `${PACKAGES}/typescript/lib/tsc.js`,
})

/**
 * Generates types from the documents of a running demo, as `docs/api.md` says, compiles `typescript-client.ts` with
 * them, and runs it.
 */
export async function checkTypescriptClient({ url, keys, samples }: DemoFile): Promise<void> {
  rmSync(GENERATED, { recursive: true, force: true })
  mkdirSync(GENERATED)
  const document = await (await fetch(`${url}/asyncapi.json`)).text()
  const streams = join(GENERATED, 'streams.json')
  writeFileSync(streams, document.replace('"asyncapi":"3.0.0"', '"openapi":"3.1.0","paths":{}'))
  await Promise.all([
    generateTypes(`${url}/openapi.json`, 'api.d.ts'),
    generateTypes(streams, 'streams.d.ts'),
  ])
  await run(COMPILER)

  const { trades, ...answer } = JSON.parse(
    await run('generated/typescript-client.js', url, keys.growth, samples.wallet),
  )
  expect(trades).toHaveLength(15)
  expect(new Set(trades.map(({ id }: { id: string }) => id)).size).toBe(15)
  expect(trades[0]).toMatchObject({
    price: expect.any(Number),
    transaction_hash: expect.any(String),
  })
  expect(answer).toMatchObject({
    orders: [{ fill_count: expect.any(Number) }, {}],
    positions: expect.arrayContaining([
      expect.objectContaining({ total_pnl: expect.any(Number), status: expect.any(String) }),
    ]),
    leaderboard: [1, 2, 3, 4, 5].map((rank) => expect.objectContaining({ rank })),
    refusal: { status: 400, error: 'Invalid side. Allowed: buy, sell, 0, 1' },
    csv: expect.stringMatching(/^id,maker,taker,/),
    stream: { types: expect.arrayContaining(['subscribed', 'snapshot']), trades: [{}, {}, {}] },
  })
  expect(answer.stream.trades[0]).toMatchObject({ event_type: 'trade', size: expect.any(Number) })
}
