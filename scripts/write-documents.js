// Writes the OpenAPI and AsyncAPI documents of the built service into a folder, without a database or a network: the
// routes are registered and described, and nothing is asked of them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildApp } from '../dist/src/app.js'
import { loadConfig } from '../dist/src/config/config.js'
import { createLog } from '../dist/src/lib/log.js'
import { createPlatform } from '../dist/src/platform.js'
import { createDomains } from '../dist/src/service.js'
import { Store } from '../dist/src/store/store.js'
import { describeStreams, nameSchemas } from '../dist/src/stream/asyncapi/document.js'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder that the documents are written to.')

const { config } = loadConfig({})
const log = createLog('silent', process.stderr)
// Connections are opened by the first query, and there is none.
const target = { url: 'postgres://127.0.0.1:9/none' }
const store = new Store({ target, dataset: config.dataset, connectionsMax: 1, log })
const platform = createPlatform({ config, log, store })
const app = await buildApp(platform, createDomains(platform, { target }))
await app.ready()
mkdirSync(folder, { recursive: true })
const write = (name, document) => writeFileSync(join(folder, name), JSON.stringify(document))
write('openapi.json', app.swagger())
write('asyncapi.json', nameSchemas(describeStreams()))
await app.close()
await store.close()
