import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { addCodeSamples } from './code-samples.js'
import { type Compressor, createCompressionHook } from './compression.js'
import { frameDocs, REST_REFERENCE } from './docs/frame.js'
import type { Samples } from './examples.js'
import { toReferenceDocument } from './reference-document.js'
import { searchPlugin } from './reference-search.js'
import { ServedDocument } from './served-document.js'

/** Beside the navigation there is less room, and a phone has still less. Colours are those of the other pages. */
const STYLE = `
.swagger-ui .info .link, .swagger-ui .info .title small.version-stamp, .swagger-ui .servers-title, .swagger-ui .servers { display: none }
html:root .swagger-ui { background: none; font-family: inherit }
html:root .swagger-ui :is(.info .title, .info p, .opblock-tag, .opblock-tag small, .opblock-description-wrapper p) { color: var(--text); font-family: inherit }
html:root .swagger-ui :is(.markdown, .renderedMarkdown) code { background: var(--shade); color: var(--text); font-weight: 400 }
html:root .swagger-ui :is(.markdown, .renderedMarkdown) pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow-x: auto }
html:root .swagger-ui :is(.markdown, .renderedMarkdown) pre code { background: none }
html:root .swagger-ui :is(.info, .markdown, .renderedMarkdown) a { color: var(--accent) }
html:root .swagger-ui .scheme-container { background: none; box-shadow: none; margin: 0; padding: 0 0 10px }
.swagger-ui .wrapper { padding: 0 }
.swagger-ui .info { margin: 0 0 20px }
.swagger-ui .filter .operation-filter-input { width: 100%; max-width: 36rem; box-sizing: border-box }
.swagger-ui .parameters-col_description input[type=text] { width: 100%; max-width: 36rem }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { padding: 1px 4px; font-size: .9em }
@media (max-width: 640px) {
  .swagger-ui .info .title { font-size: 26px }
  .swagger-ui .scheme-container .schemes { padding: 0 }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; font-size: 13px; word-break: break-word }
  .swagger-ui .opblock .opblock-summary-description { display: none }
  .swagger-ui .opblock-tag { font-size: 18px }
  .swagger-ui .opblock-tag small { display: none }
  .swagger-ui .opblock-body pre, .swagger-ui .model-box { max-width: 100%; overflow-x: auto }
  .swagger-ui .opblock-tag > a { flex: 1 }
  .swagger-ui .table-container { padding: 10px }
  .swagger-ui .parameters-container thead, .swagger-ui .responses-table > thead { display: none }
  .swagger-ui .parameters-container :is(table, tbody, tr, td) { display: block; width: 100%; max-width: 100% }
  .swagger-ui .responses-table, .swagger-ui .responses-table > tbody { display: block; width: 100% }
  .swagger-ui .response, .swagger-ui .response > td { display: block; width: 100%; max-width: 100%; box-sizing: border-box }
  .swagger-ui .parameters-container td { padding: 0 0 6px }
  .swagger-ui .parameters-col_description input[type=text], .swagger-ui select { max-width: 100% }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: 95vw }
}
`

type ReferenceParts = {
  compressor: Compressor
  readSamples: () => Promise<Samples>
}

/** Serves the page at `/docs`, which loads nothing from other hosts. */
export async function showReference(
  app: FastifyInstance,
  { compressor, readSamples }: ReferenceParts,
): Promise<void> {
  const write = () => JSON.stringify(toReferenceDocument(app.swagger()))
  const shown = new ServedDocument(write, readSamples, 'json', addCodeSamples)
  const yaml = new ServedDocument(() => app.swagger({ yaml: true }), readSamples, 'yaml')
  await app.register(async (docs) => {
    docs.addHook('onSend', async (request, _reply, payload) =>
      /^\/docs\/?$/.test(request.routeOptions.url ?? '') ? frame(payload) : payload,
    )
    docs.addHook('onSend', createCompressionHook(compressor))
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      theme: { title: 'Auspex API', css: [{ filename: 'auspex.css', content: STYLE }] },
      uiConfig: {
        deepLinking: true,
        displayRequestDuration: true,
        persistAuthorization: false,
        // Groups, operations and schemas stay closed until they are wanted: drawing them all takes seconds.
        filter: true,
        docExpansion: 'none',
        defaultModelsExpandDepth: 0,
        plugins: [loadDocumentPlugin, searchPlugin],
      },
      uiHooks: {
        preHandler: async (request, reply) => {
          const { url } = request.routeOptions
          if (url === '/docs/json') return await shown.send(request, reply)
          if (url === '/docs/yaml') return await yaml.send(request, reply)
        },
      },
      staticCSP: true,
      // The page is served over plain HTTP too. Its scripts set styles on elements.
      transformStaticCSP: (policy) =>
        policy
          .replace(/upgrade-insecure-requests;?|validator\.swagger\.io|https:/g, '')
          .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
    })
  })
}

/** What Swagger UI loads and draws into, in the frame of the other pages of the documentation. */
function frame(page: unknown): unknown {
  if (typeof page !== 'string') return page
  const { title, path } = REST_REFERENCE
  const head = page.match(/<link rel="stylesheet"[^>]*>/g)?.join('\n') ?? ''
  const [, main = ''] = /<body>(.*)<\/body>/s.exec(page) ?? []
  return frameDocs({ title, path, head, main, isProse: false })
}

declare const SwaggerUIBundle: { plugins: { DownloadUrl: (system: object) => object } }

/** Runs in the browser, from its source. Plugins of our own replace this one, which loads the document. */
function loadDocumentPlugin(system: object): object {
  return SwaggerUIBundle.plugins.DownloadUrl(system)
}
