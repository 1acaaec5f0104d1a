import { useState } from 'preact/hooks'
import { api, type Failure } from '../api'
import { loadContexts } from '../data'
import { failureOf } from '../load'
import { Problem } from '../parts'
import { go } from '../state'

/** Takes a file that is dropped or chosen, and imports it. */
export function Drop() {
  const [over, setOver] = useState(false)
  const [busy, setBusy] = useState('')
  const [failure, setFailure] = useState<Failure | null>(null)
  const take = async (file: File | undefined) => {
    if (!file) return
    setBusy(file.name)
    setFailure(null)
    try {
      const made = await api.importFile(file.name.replace(/\.[a-z]+$/i, ''), file)
      loadContexts()
      if (made.contexts.length === 1) go({ name: made.contexts[0]!.name })
    } catch (problem) {
      setFailure(failureOf(problem))
    }
    setBusy('')
  }
  return (
    <>
      <label class="drop" data-over={over} onDragOver={(e) => {
        e.preventDefault()
        setOver(true)
      }} onDragLeave={() => setOver(false)} onDrop={(e) => {
        e.preventDefault()
        setOver(false)
        void take(e.dataTransfer?.files[0])
      }}>
        {busy ? <>Importing {busy} …</> : <>Drop a conversation here, or choose a file.</>}
        <input type="file" onChange={(e) => void take(e.currentTarget.files?.[0])} />
      </label>
      {failure && <Problem failure={failure} />}
    </>
  )
}
