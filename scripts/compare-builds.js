// Records two built checkouts against the same simulated universe, that of the first one, and prints where they differ:
// documents, answers to all operations, tables, messages of the sockets. Exits with 1 if anything does.
// Usage: node scripts/compare-builds.js <checkout> <checkout>
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** What differs between two runs of one build, by the names of the files: ports, random values, times of the machine. */
const MASKS = [
  [/./, /127\.0\.0\.1:\d+|\/\d-data/g],
  [/./, /"(elapsed_ms|fetched_in_ms|fetch_ms|request_id|subscriber_id|subscription_id)":("[^"]*"|[\d.]+)/g],
  // How often boards were made while blocks were booked.
  [/^operation list\w*Leaderboard$/, /"next_cursor":"[^"]*|^x-next-cursor: .*/gm],
  // Secrets, and ids and signatures that are made with them.
  [
    /./,
    /ax_live_\w+|"(?:ends|hint)":"\w+"|whsec_\w+|wh_[0-9a-f]{12}|"next_cursor":"[^"]{22}|^x-next-cursor: .{22}/gm,
  ],
  [/^operation/, /^(date|x-request-id|keep-alive|connection|content-length|etag): .*$/gm],
  // How often the status was asked before, how often jobs have run, and how long they took.
  [/^operation/, /\br=\d+|^x-ratelimit-remaining: \d+|"remaining":\d+/gm],
  [/^operation (getUsage|getOwnUsage|getOwnAccount)$/, /\d+/g],
  [/^operation getAccountsUsage$/, /"rows":.*/g],
  [/^operation getStatus/, /"(is_running|last_seconds|runs|uptime_seconds|metadata_count|followed)":[\w.]+/g],
  [/^operation getStatus$/, /"processes":\[\{"id":"[^"]+"/g],
  // How far older prices of coins have been fetched.
  [/^operation getCoverage$/, /"(from|hours)":("[^"]*"|\[[^\]]*\])|"gaps":.*/g],
  [/^operation testWebhook$/, /"latency_ms":\d+/g],
  // Numbers go on from those of the history, whose events depend on when the node was reached.
  [/^messages/, /"seq":\d+/g],
  // Tables about keys and leases, and those that say when a process did something.
  [
    /^table (schema_migrations|accounts|api_keys|operator_keys|secret_key|signing_keys|sign_in_codes|web_sessions|usage\w*|processes)$/,
    /[\s\S]+/g,
  ],
  [
    /^table (event_log\w*|replay_log|board_state|rewound_\w+|socket_\w+|live_ticks|tick_\w+|rate_windows|status_samples|webhook\w*)$/,
    /[\s\S]+/g,
  ],
]
const RECORD = join(import.meta.dirname, 'record-build.js')

const checkouts = process.argv.slice(2).map((path) => resolve(path))
if (checkouts.length !== 2) {
  console.error('Usage: node scripts/compare-builds.js <checkout> <checkout>')
  process.exit(2)
}
process.exit(await compare(checkouts))

/** Records both builds side by side, each in a process with a time of its own. */
async function compare(checkouts) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'compare-builds-'))
  // The database of root runs under another user.
  chmodSync(folder, 0o755)
  const outs = checkouts.map((_, index) => join(folder, `${index + 1}`))
  const children = checkouts.map((checkout, index) => fork(RECORD, [checkouts[0], checkout, outs[index]]))
  const codes = await Promise.all(children.map((child) => once(child, 'exit')))
  return codes.every(([code]) => code === 0) ? report(folder, outs) : 2
}

/** Prints where the files of two folders differ, and returns the exit code. */
function report(folder, outs) {
  const names = [...new Set(outs.flatMap((out) => readdirSync(out)))]
  let count = 0
  for (const name of names) {
    const [a, b] = outs.map((out) => read(out, name))
    if (a === b) continue
    count++
    let at = 0
    while (a[at] === b[at]) at++
    const show = (text) => text.slice(Math.max(0, at - 80), at + 120).replaceAll('\n', ' ⏎ ')
    console.log(`\n${name} differs:\n  ${show(a)}\n  ${show(b)}`)
  }
  const operations = names.filter((name) => name.startsWith('operation '))
  const isAnswered = (name) => /^20[01]$/m.test(read(outs[0], name))
  console.log(
    `\n${operations.length} operations, ${operations.filter(isAnswered).length} of them answered with 200 or 201`,
  )
  console.log(`${names.length} files were compared, ${count} differ. They are in ${folder}`)
  return count === 0 ? 0 : 1
}

/** What is compared of a file; nothing, if there is none. */
function read(out, name) {
  const path = join(out, name)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const masks = MASKS.filter(([names]) => names.test(name))
  return masks.reduce((rest, [, pattern]) => rest.replaceAll(pattern, '…'), text)
}
