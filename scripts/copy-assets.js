// tsc emits only what it compiles; what the service reads as it is travels beside the compiled code.
import { cpSync } from 'node:fs'

const ASSETS = [
  'src/store/migrations',
  'src/events/examples.json',
  'src/http/examples.json',
  'src/stream/asyncapi/examples.json',
  'src/webhooks/examples.json',
]

const root = new URL('..', import.meta.url)
for (const asset of ASSETS) {
  cpSync(new URL(asset, root), new URL(`dist/${asset}`, root), { recursive: true })
}
