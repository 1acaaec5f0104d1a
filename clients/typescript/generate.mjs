// Writes src/schema.ts, the types of docs/openapi.json: an interface for each schema, and for each
// operation what it takes and answers. `node generate.mjs --check` only compares.

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const at = (path) => new URL(path, import.meta.url)
const source = readFileSync(at('../../docs/openapi.json'))
const document = JSON.parse(source)

const comment = (text, indent) => (text ? `${indent}/** ${text.replaceAll('*/', '* /')} */\n` : '')
const word = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)

/** The type that a schema describes. */
function typeOf(schema, indent = '') {
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ')
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, indent)).join(' | ')
  return [schema.type ?? 'unknown'].flat().map((type) => plain(type, schema, indent)).join(' | ')
}

function plain(type, schema, indent) {
  if (type === 'integer') return 'number'
  if (type === 'array') {
    const item = typeOf(schema.items, indent)
    return /[|]/.test(item) ? `(${item})[]` : `${item}[]`
  }
  if (type !== 'object') return type // boolean, null, number, string, unknown
  if (schema.properties) return `{\n${members(schema, indent + '  ')}${indent}}`
  return `Record<string, ${schema.additionalProperties ? typeOf(schema.additionalProperties, indent) : 'unknown'}>`
}

function members({ properties, required = [] }, indent) {
  return Object.entries(properties).map(([name, schema]) => comment(schema.description, indent) +
    `${indent}${word(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, indent)}\n`).join('')
}

/** The body of a request or the answer: JSON if there is JSON, else bytes, else nothing. */
function bodyOf(content) {
  const json = content?.['application/json']
  return json ? typeOf(json.schema, '    ') : content ? 'Uint8Array | Blob | string' : 'undefined'
}

function operation(id, method, path, o) {
  const taken = (o.parameters ?? []).filter((p) => p.in !== 'header')
  const needs = taken.some((p) => p.required)
  const args = { properties: {}, required: taken.filter((p) => p.required).map((p) => p.name) }
  for (const p of taken) args.properties[p.name] = { ...p.schema, description: p.description ?? p.schema.description }
  const done = Object.entries(o.responses).find(([status]) => status.startsWith('2'))[1]
  const answer = Object.keys(done.content ?? {})
  const type = answer.includes('application/json') || answer.length === 0 ? bodyOf(done.content) : 'string'
  return comment(o.summary, '  ') + `  ${word(id)}: {\n` +
    `    args${needs ? '' : '?'}: ${taken.length ? `{\n${members(args, '      ')}    }` : 'Record<string, never>'}\n` +
    `    body${o.requestBody?.required ? '' : '?'}: ${bodyOf(o.requestBody?.content)}\n    answer: ${type}\n  }\n`
}

/** What an answer has in any case, as an array; false if it may be other than JSON. */
function required(o) {
  const done = Object.entries(o.responses).find(([status]) => status.startsWith('2'))[1]
  if (Object.keys(done.content ?? {}).join() !== 'application/json') return false
  const { $ref = '' } = done.content['application/json'].schema
  const list = document.components.schemas[$ref.split('/').at(-1)]?.required ?? []
  return `[${list.map((name) => `'${name}'`).join(', ')}]`
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).filter(([, o]) => o.operationId).map(([method, o]) => [o.operationId, method, path, o]))

const text = `// generate.mjs writes this file from docs/openapi.json, whose
// SHA-256 is ${createHash('sha256').update(source).digest('hex')}.

${Object.entries(document.components.schemas).map(([name, schema]) =>
  comment(schema.description, '') + `export interface ${name} {\n${members(schema, '  ')}}\n`).join('\n')}
/** Every operation: its parameters, the body of its request, and its answer. */
export interface Operations {
${operations.map((o) => operation(...o)).join('')}}

/** The method and the path of every operation, and the members of its answer, false if that may be other than JSON. */
export const routes = {
${operations.map(([id, method, path, o]) =>
  `  ${word(id)}: ['${method.toUpperCase()}', '${path}', ${required(o)}],\n`).join('')}} as const
`

const file = at('src/schema.ts')
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    console.error('src/schema.ts is not what docs/openapi.json gives: run node clients/typescript/generate.mjs')
    process.exit(1)
  }
} else {
  writeFileSync(file, text)
}
