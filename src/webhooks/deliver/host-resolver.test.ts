import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHostResolver, type ResolveHost } from './address-guard.js'

const TYPES: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' }

/** What the name server knows. `silent`: it never answers such a question. */
type Zone = Record<string, Partial<Record<'A' | 'AAAA', Buffer[] | 'silent'>>>

const ZONE: Zone = {
  'both.example.com': {
    A: [Buffer.from([93, 184, 216, 34]), Buffer.from([10, 0, 0, 1])],
    AAAA: [Buffer.from('26064700000000000000000000001111', 'hex')],
  },
  'four.example.com': { A: [Buffer.from([93, 184, 216, 34])] },
  'six.example.com': { AAAA: [Buffer.from('26064700000000000000000000001111', 'hex')] },
  'late-four.example.com': { A: [Buffer.from([93, 184, 216, 34])] },
  'half-silent.example.com': { A: [Buffer.from([93, 184, 216, 34])], AAAA: 'silent' },
}

/** The name server takes this long to answer with the IPv4 addresses of `late-…`. */
const LATE_MS = 50

const server = { close: () => {}, resolve: undefined as ResolveHost | undefined }

beforeEach(async () => {
  const socket = createSocket('udp4')
  socket.on('message', (query, peer) => {
    const { name, type } = readQuestion(query)
    const answer = answerTo(query)
    const send = () => answer !== undefined && socket.send(answer, peer.port, peer.address)
    if (name.startsWith('late-') && type === 'A') setTimeout(send, LATE_MS)
    else send()
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  server.close = () => socket.close()
  server.resolve = createHostResolver([`127.0.0.1:${socket.address().port}`])
})

afterEach(() => server.close())

/** A question has a header of 12 bytes, the labels of the name, and its type. */
function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const code = query.readUInt16BE(at + 1)
  return { name: labels.join('.').toLowerCase(), type: TYPES[code] ?? 'A', code, endAt: at + 5 }
}

function answerTo(query: Buffer): Buffer | undefined {
  const { name, type, code, endAt } = readQuestion(query)
  const known = ZONE[name]
  const records = known?.[type] ?? []
  if (records === 'silent') return undefined
  const header = Buffer.alloc(12)
  header.writeUInt16BE(query.readUInt16BE(0), 0)
  header.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  const answers = records.map((data) => {
    const record = Buffer.from([0xc0, 12, 0, code, 0, 1, 0, 0, 0, 1, 0, data.length])
    return Buffer.concat([record, data])
  })
  return Buffer.concat([header, query.subarray(12, endAt), ...answers])
}

describe('the addresses of a name', () => {
  test.each([
    ['both.example.com', ['93.184.216.34', '10.0.0.1', '2606:4700::1111']],
    ['four.example.com', ['93.184.216.34']],
    ['six.example.com', ['2606:4700::1111']],
    // That it has no IPv6 address is known before anything waits for the answer.
    ['late-four.example.com', ['93.184.216.34']],
    ['late-none.example.com', []],
    ['half-silent.example.com', ['93.184.216.34']],
    ['unknown.example.com', []],
    ['localhost', ['127.0.0.1', '::1']],
    ['a.localhost', ['127.0.0.1', '::1']],
  ])('%s: %j', async (host, addresses) => {
    const found = (await server.resolve?.(host)) ?? []
    expect([...found].sort()).toEqual([...addresses].sort())
  })
})
