// Writes src/generated/ from the OpenAPI and AsyncAPI documents in a folder.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder that the documents are in.')
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
const api = read('openapi.json')
const { schemas } = read('asyncapi.json').components
/** The generator reads OpenAPI: messages of the streams are schemas of a document without paths. */
const streams = {
  openapi: '3.1.0',
  info: { title: 'streams', version: '1' },
  paths: {},
  components: { schemas },
}

const GENERATED = join(import.meta.dirname, '../src/generated')
mkdirSync(GENERATED, { recursive: true })
const write = (name, text) =>
  writeFileSync(join(GENERATED, name), `// Generated from the documents of the service.\n${text}`)
// A field with a default may be left out of a request.
write('openapi.ts', astToString(await openapiTS(api, { defaultNonNullable: false })))
write('asyncapi.ts', astToString(await openapiTS(streams)))
write('lists.ts', writeLists())

/** The lists that can be read page by page, with the field that has their rows. */
function writeLists() {
  const fields = Object.entries(api.paths).flatMap(([path, { get }]) => {
    const parameters = (get?.parameters ?? []).map(resolve)
    if (!parameters.some(({ name }) => name === 'offset')) return []
    const answer = resolve(get.responses['200']).content['application/json'].schema
    const names = rowFieldsOf(answer).map((name) => JSON.stringify(name))
    if (names.length === 0) throw new Error(`${path} has an offset and no rows`)
    return [`  ${JSON.stringify(path)}: ${names.join(' | ')}\n`]
  })
  return `export interface lists {\n${fields.join('')}}\n`
}

/** The first list of objects. Where a list has rows under one of several names, none of them is required. */
function rowFieldsOf(answer) {
  const { properties, required } = flatten(answer)
  const lists = Object.keys(properties).filter((name) => isRows(resolve(properties[name])))
  const first = lists.findIndex((name) => required.has(name))
  return first === -1 ? lists : lists.slice(0, 1)
}

function isRows({ type, items }) {
  if (type !== 'array') return false
  const { type: itemType, anyOf, allOf } = resolve(items)
  return itemType === 'object' || anyOf !== undefined || allOf !== undefined
}

/** The fields of an object, with those of the schemas that it extends. */
function flatten(schema) {
  const { allOf = [], properties = {}, required = [] } = resolve(schema)
  const parts = allOf.map(flatten)
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: new Set([...parts.flatMap((part) => [...part.required]), ...required]),
  }
}

function resolve(value) {
  if (value?.$ref === undefined) return value
  const keys = value.$ref.slice(2).split('/')
  return resolve(keys.reduce((parent, key) => parent[key.replaceAll('~1', '/').replaceAll('~0', '~')], api))
}
