import type { RedisConnection } from '../redis/connection.js'
import type { Charge } from './limiter.js'

/**
 * A window is a sorted set with a member for each unit of the last `windowMs`, by the time at which it was
 * used. Units that are lent to a process have the time at which the loan ends, which is the latest
 * at which they can be used: whatever becomes of the process, no window has more uses than its limit.
 * Times that are further ahead are of before the server's clock was set back.
 */
const FUNCTIONS = `
local asked = cjson.decode(ARGV[1])
local now = asked.nowMs
if now == 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function endLease(key, lease)
  local used, unused = {}, {}
  for index = 1, lease.size do
    local member = lease.id .. index
    if lease.usedAtMs[index] then
      table.insert(used, lease.usedAtMs[index])
      table.insert(used, member)
    else
      table.insert(unused, member)
    end
  end
  if #used > 0 then redis.call('ZADD', key, 'XX', unpack(used)) end
  if #unused > 0 then redis.call('ZREM', key, unpack(unused)) end
end

local function add(key, timeMs, from, to)
  local members = {}
  for index = from, to do
    table.insert(members, timeMs)
    table.insert(members, asked.id .. index)
  end
  if #members > 0 then redis.call('ZADD', key, unpack(members)) end
end

local function count(key, charge)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - charge.windowMs)
  redis.call('ZREMRANGEBYSCORE', key, '(' .. (now + charge.windowMs), '+inf')
  return redis.call('ZCARD', key)
end

local function weigh(key, charge)
  local used = redis.call('ZCARD', key)
  local freeAt = now + charge.windowMs
  if used > 0 then
    local index = math.min(used - 1, math.max(0, used - charge.limit))
    freeAt = redis.call('ZRANGE', key, index, index, 'WITHSCORES')[2] + charge.windowMs
  end
  local lent = redis.call('ZRANGEBYSCORE', key, '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  return used, freeAt, tonumber(lent or 0)
end
`

/** As many of the requests as all buckets have room for, and on top of it a lease of each bucket. */
const TAKE = `${FUNCTIONS}
local granted = asked.requests
local free = {}
for index, charge in ipairs(asked.charges) do
  local key = KEYS[index]
  if charge.ended then endLease(key, charge.ended) end
  free[index] = math.max(0, charge.limit - count(key, charge))
  granted = math.min(granted, free[index])
end
local answer = { now, granted }
for index, charge in ipairs(asked.charges) do
  local key = KEYS[index]
  local share = math.floor((free[index] - granted) / charge.leaseShare)
  local lent = granted < asked.requests and 0 or math.min(charge.leaseMax, share)
  add(key, now, 1, granted)
  add(key, now + charge.leaseMs, granted + 1, granted + lent)
  redis.call('PEXPIRE', key, charge.windowMs + charge.leaseMs)
  local used, freeAt, lentUntil = weigh(key, charge)
  for _, value in ipairs({ lent, used, freeAt, lentUntil }) do table.insert(answer, value) end
end
return answer`

const LOOK = `${FUNCTIONS}
local answer = { now }
for index, charge in ipairs(asked.charges) do
  count(KEYS[index], charge)
  local used, freeAt = weigh(KEYS[index], charge)
  table.insert(answer, used)
  table.insert(answer, freeAt)
end
return answer`

const END_LEASES = `${FUNCTIONS}
for index, lease in ipairs(asked.ended) do endLease(KEYS[index], lease) end
return now`

/** Units of a window that a process may use without asking. Times are those of the server's clock. */
export type Lease = {
  /** Before the number of each of its members. */
  id: string
  size: number
  usedAtMs: number[]
  untilMs: number
}

type EndedLease = Pick<Lease, 'id' | 'size' | 'usedAtMs'>

export type UnitRequest = {
  /** 0: that of the server. */
  nowMs: number
  /** How many requests wait for a unit of each charge. */
  requests: number
  /** Unique over all processes. */
  id: string
  charges: readonly (Charge & {
    leaseMs: number
    leaseMax: number
    /** The lease that this process has had of the window. */
    ended: EndedLease | undefined
  })[]
}

/** What a window has: `used` counts what is lent. `lentUntilMs`: when the first loan ends; 0: there is none. */
export type WindowState = { used: number; freeAtMs: number; lentUntilMs: number }

/** What is free is lent in parts of this size, so that the last units of a window go one by one. */
const LEASE_SHARE = 8

/** One call for all charges of some requests: a unit of each charge for as many of them as have room in all. */
export async function takeUnits(redis: RedisConnection, { charges, ...rest }: UnitRequest) {
  const asked = {
    ...rest,
    charges: charges.map(({ limit, windowMs, leaseMs, leaseMax, ended }) => ({
      limit,
      windowMs,
      leaseMs,
      leaseMax,
      leaseShare: LEASE_SHARE,
      ended,
    })),
  }
  const [nowMs = 0, granted = 0, ...numbers] = await runScript(redis, 'take', TAKE, charges, asked)
  const windows = charges.map((_, index) => {
    const [lent = 0, used = 0, freeAtMs = 0, lentUntilMs = 0] = numbers.slice(index * 4, index * 4 + 4)
    return { lent, used, freeAtMs, lentUntilMs }
  })
  return { nowMs, granted, windows }
}

/** What the windows of charges have. */
export async function lookAtUnits(redis: RedisConnection, nowMs: number, charges: readonly Charge[]) {
  const asked = { nowMs, charges: charges.map(({ limit, windowMs }) => ({ limit, windowMs })) }
  const [serverMs = 0, ...numbers] = await runScript(redis, 'look', LOOK, charges, asked)
  const windows = charges.map((_, index) => {
    const [used = 0, freeAtMs = 0] = numbers.slice(index * 2, index * 2 + 2)
    return { used, freeAtMs, lentUntilMs: 0 }
  })
  return { nowMs: serverMs, windows }
}

type HeldLease = Pick<Charge, 'bucket' | 'subject'> & { lease: EndedLease }

/** Says when the units of leases were used, and gives back those that were not. */
export async function endLeases(redis: RedisConnection, held: readonly HeldLease[]): Promise<void> {
  const ended = held.map(({ lease: { id, size, usedAtMs } }) => ({ id, size, usedAtMs }))
  await runScript(redis, 'end leases', END_LEASES, held, { nowMs: 0, ended })
}

async function runScript(
  redis: RedisConnection,
  command: string,
  script: string,
  windows: readonly Pick<Charge, 'bucket' | 'subject'>[],
  asked: object,
): Promise<number[]> {
  const keys = windows.map(({ bucket, subject }) => redis.keyOf(`limit:${bucket}:${subject}`))
  const answer = await redis.callScript(command, script, keys, JSON.stringify(asked))
  return Array.isArray(answer) ? answer.map(Number) : []
}
