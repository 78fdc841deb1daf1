import { FAULT_MODES, FaultOrderError, HOST_NAMES, parseFaultOrder } from '../server/fault-order.js'
import { type Fault, type Faults, HostFaults } from '../server/faults.js'
import type { HostParts, HttpReply, HttpRequest } from '../server/handlers.js'
import { type Host, openPort, type Port } from '../server/host.js'
import { parseFields } from '../server/json.js'
import { REORG_DEPTH_MAX, type Universe } from '../universe/universe.js'

type ControlParts = { universe: Universe; faults: Faults; hosts: readonly Host[] }

/** The port that switches faults. It has none itself. */
export function openControl(parts: ControlParts): Promise<Port> {
  return openPort(new HostFaults(Date.now), createControlHost(parts))
}

function createControlHost(parts: ControlParts): HostParts {
  return {
    http(request) {
      switch (`${request.method} ${request.path}`) {
        case 'GET /':
          return { status: 200, body: describe(parts) }
        case 'GET /faults':
          return { status: 200, body: showFaults(parts) }
        case 'POST /faults':
          return obey(request, parts)
        default:
          return { status: 404, body: { error: 'not found', paths: PATHS } }
      }
    },
  }
}

const PATHS = ['GET /', 'GET /faults', 'POST /faults']

function obey({ body }: HttpRequest, parts: ControlParts): HttpReply {
  try {
    const order = readOrder(body)
    if ('reorg' in order) parts.universe.reorg(order.reorg)
    else parts.faults.set(order)
    return { status: 200, body: { ok: true, ...showFaults(parts) } }
  } catch (error) {
    if (!(error instanceof FaultOrderError)) throw error
    const { message, field, allowed } = error
    return { status: 400, body: { error: message, field, allowed } }
  }
}

function readOrder(body: string) {
  const json = parseFields(body)
  if (json === undefined) throw new FaultOrderError('body', 'a JSON object')
  if (!('reorg' in json)) return parseFaultOrder(json)
  const { reorg, ...rest } = json
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new FaultOrderError(unknown, 'absent beside reorg')
  if (typeof reorg !== 'number' || !Number.isInteger(reorg) || reorg < 1 || reorg > REORG_DEPTH_MAX)
    throw new FaultOrderError('reorg', `a whole number from 1 to ${REORG_DEPTH_MAX}`)
  return { reorg }
}

function showFaults({ faults }: ControlParts) {
  return {
    faults: Object.fromEntries(faults.all().map(({ name, faults }) => [name, faults.map(show)])),
  }
}

function show({ mode, untilMs, rate, delayMs, skewMs, blocks, path }: Fault) {
  return {
    mode,
    until: Number.isFinite(untilMs) ? new Date(untilMs).toISOString() : null,
    rate,
    ...(mode === 'slow' ? { delayMs } : {}),
    ...(mode === 'skew' ? { skewMs } : {}),
    ...(mode === 'head-back' || mode === 'two-nodes' ? { blocks } : {}),
    ...(path === undefined ? {} : { path }),
  }
}

function describe({ universe, hosts }: ControlParts) {
  return {
    about: 'A simulated prediction-market universe. POST /faults breaks one of its hosts.',
    seed: universe.seed,
    now: new Date(universe.nowMs).toISOString(),
    head: universe.chain.head.number,
    hosts: Object.fromEntries(hosts.map(({ name, url, wsUrl }) => [name, { url, ws_url: wsUrl }])),
    paths: PATHS,
    orders: {
      fault: { upstream: [...HOST_NAMES, '*'], mode: [...FAULT_MODES, 'off'], seconds: 10 },
      reorg: { reorg: 5 },
    },
  }
}
