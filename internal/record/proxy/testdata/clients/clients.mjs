// Makes calls with the real clients of four APIs for Node, for clients_test.go; the
// lines of its input and output are those of clients.py.

import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { createInterface } from 'node:readline'

const key = 'sk-clients-0123456789'
const question = 'What is the weather in Oslo and in Rome? ☀ <b>&</b> \u2028'
const system = 'Answer in one sentence.'
const description = 'The weather of a city.'
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = ({ city }) => `${city}: 12 °C`
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'

class LeftOut extends Error {}

// first reads one piece of a stream and leaves it.
async function first(stream) {
  for await (const _ of stream) break
  return 'left'
}

async function text(stream, piece) {
  let all = ''
  for await (const event of stream) all += piece(event) ?? ''
  return all
}

async function openai_chat(name, base) {
  if (name === 'thinking') throw new LeftOut('chat completions do not show what the model thought')
  const client = new OpenAI({ apiKey: key, baseURL: base + '/v1', maxRetries: name === 'retry' ? 2 : 0 })
  const content = name !== 'image' ? question : [
    { type: 'text', text: question }, { type: 'image_url', image_url: { url: 'data:image/png;base64,' + pixel } }]
  const messages = [{ role: 'system', content: system }, { role: 'user', content }]
  const request = { model: 'gpt-x', messages }
  if (name === 'tools') {
    request.tools = [{ type: 'function', function: { name: 'weather', description, parameters: schema } }]
  }
  if (name === 'stream' || name === 'cancel') {
    const stream = await client.chat.completions.create({ ...request, stream: true })
    return name === 'cancel' ? first(stream) : text(stream, (c) => c.choices[0]?.delta.content)
  }
  for (;;) {
    const { message } = (await client.chat.completions.create(request)).choices[0]
    if (!message.tool_calls) return message.refusal ?? message.content
    messages.push(message)
    for (const call of message.tool_calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: weather(JSON.parse(call.function.arguments)) })
    }
  }
}

async function openai_responses(name, base) {
  const client = new OpenAI({ apiKey: key, baseURL: base + '/v1', maxRetries: name === 'retry' ? 2 : 0 })
  const content = name !== 'image' ? question : [
    { type: 'input_text', text: question },
    { type: 'input_image', image_url: 'data:image/png;base64,' + pixel, detail: 'auto' }]
  const input = [{ role: 'user', content }]
  const request = { model: 'gpt-x', instructions: system, input, store: false }
  if (name === 'tools' || name === 'thinking') {
    request.tools = [{ type: 'function', name: 'weather', description, parameters: schema, strict: false }]
    request.include = ['reasoning.encrypted_content']
  }
  if (name === 'stream' || name === 'cancel') {
    const stream = await client.responses.create({ ...request, stream: true })
    return name === 'cancel' ? first(stream)
      : text(stream, (e) => (e.type === 'response.output_text.delta' ? e.delta : ''))
  }
  for (;;) {
    const { output } = await client.responses.create(request)
    input.push(...output)
    const calls = output.filter((item) => item.type === 'function_call')
    if (calls.length === 0) {
      return output.flatMap((item) => item.content ?? []).map((part) => part.refusal ?? part.text).join('')
    }
    for (const call of calls) {
      input.push({ type: 'function_call_output', call_id: call.call_id, output: weather(JSON.parse(call.arguments)) })
    }
  }
}

async function anthropic(name, base) {
  const client = new Anthropic({ apiKey: key, baseURL: base, maxRetries: name === 'retry' ? 2 : 0 })
  const content = name !== 'image' ? question : [
    { type: 'text', text: question, cache_control: { type: 'ephemeral' } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }]
  const messages = [{ role: 'user', content }]
  const request = { model: 'claude-x', max_tokens: 2000, system, messages }
  if (name === 'tools' || name === 'thinking') {
    request.tools = [{ name: 'weather', description, input_schema: schema }]
  }
  if (name === 'thinking') request.thinking = { type: 'enabled', budget_tokens: 1024 }
  if (name === 'stream') {
    return text(client.messages.stream(request), (e) => e.delta?.text)
  }
  if (name === 'cancel') return first(await client.messages.create({ ...request, stream: true }))
  for (;;) {
    const message = await client.messages.create(request)
    messages.push({ role: 'assistant', content: message.content })
    const calls = message.content.filter((part) => part.type === 'tool_use')
    if (calls.length === 0) {
      return message.content.filter((part) => part.type === 'text').map((part) => part.text).join('')
    }
    messages.push({ role: 'user', content: calls.map((call) => (
      { type: 'tool_result', tool_use_id: call.id, content: weather(call.input) })) })
  }
}

async function genai(name, base) {
  const httpOptions = { baseUrl: base }
  if (name === 'retry') httpOptions.retryOptions = { attempts: 3, initialDelay: 0.01 }
  const client = new GoogleGenAI({ apiKey: key, httpOptions })
  const parts = [{ text: question }]
  if (name === 'image') parts.push({ inlineData: { data: pixel, mimeType: 'image/png' } })
  const contents = [{ role: 'user', parts }]
  const config = { systemInstruction: system }
  if (name === 'tools' || name === 'thinking') {
    config.tools = [{ functionDeclarations: [{ name: 'weather', description, parametersJsonSchema: schema }] }]
  }
  if (name === 'thinking') config.thinkingConfig = { includeThoughts: true }
  const request = { model: 'gemini-x', contents, config }
  if (name === 'stream' || name === 'cancel') {
    const stream = await client.models.generateContentStream(request)
    return name === 'cancel' ? first(stream) : text(stream, (c) => c.text)
  }
  for (;;) {
    const answer = await client.models.generateContent(request)
    const calls = answer.functionCalls ?? []
    if (calls.length === 0) return answer.text
    contents.push(answer.candidates[0].content, { role: 'user', parts: calls.map((call) => (
      { functionResponse: { id: call.id, name: call.name, response: { output: weather(call.args) } } })) })
  }
}

// ai asks through the AI SDK, which has one form for all providers.
async function ai(name, model) {
  if (name === 'refusal') throw new LeftOut('the SDK shows a refusal in another form for each provider')
  const content = [{ type: 'text', text: question }]
  if (name === 'image') content.push({ type: 'image', image: Buffer.from(pixel, 'base64'), mediaType: 'image/png' })
  const request = { model, system, messages: [{ role: 'user', content }], maxRetries: name === 'retry' ? 2 : 0 }
  if (name === 'tools' || name === 'thinking') {
    request.tools = { weather: tool({ description, inputSchema: jsonSchema(schema), execute: weather }) }
    request.stopWhen = stepCountIs(3)
  }
  if (name === 'stream') return text(streamText(request).textStream, (piece) => piece)
  if (name === 'cancel') {
    const stop = new AbortController()
    for await (const _ of streamText({ ...request, abortSignal: stop.signal }).textStream) stop.abort()
    return 'left'
  }
  return (await generateText(request)).text
}

const ai_openai = (name, base) => ai(name, createOpenAI({ apiKey: key, baseURL: base + '/v1' })('gpt-x'))
const ai_anthropic = (name, base) => ai(name, createAnthropic({ apiKey: key, baseURL: base + '/v1' })('claude-x'))
const ai_google = (name, base) => ai(name,
  createGoogleGenerativeAI({ apiKey: key, baseURL: base + '/v1beta' })('gemini-x'))

const clients = { openai_chat, openai_responses, anthropic, genai, ai_openai, ai_anthropic, ai_google }

console.log = console.warn = console.info = console.error // what a client prints is no answer

for await (const line of createInterface({ input: process.stdin })) {
  const { client, case: name, base } = JSON.parse(line)
  const say = { client, case: name }
  try {
    say.answer = await clients[client](name, base)
  } catch (error) {
    if (error instanceof LeftOut) say.left_out = error.message
    else say.answer = `error ${error.status ?? error.statusCode ?? error}`
  }
  process.stdout.write(JSON.stringify(say) + '\n')
}
process.exit(0)
