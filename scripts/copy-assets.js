// tsc emits only what it compiles; what the service reads as it is travels beside the compiled code.
import { cpSync } from 'node:fs'

const root = new URL('..', import.meta.url)
for (const asset of ['src/store/migrations', 'src/http/examples.json']) {
  cpSync(new URL(asset, root), new URL(`dist/${asset}`, root), { recursive: true })
}
