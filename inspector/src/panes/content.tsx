import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { pieces, plainLines, runs } from '../text'
import { wholeTexts } from './find'
import { contentOutline, type Line } from './json'

/** Content as text: characters that a page would obey or not show are pictures of themselves. */
export function Safe({ text }: { text: string }): JSX.Element {
  return <>{runs(text).map((run) => (run.picture ? <span class="picture">{run.text}</span> : run.text))}</>
}

const atOnce = 24 // pieces that are added each time that the end comes in sight

/** A long text, cut into pieces that are added as one scrolls down to them. */
export function LongText({ text: whole }: { text: string }): JSX.Element {
  const { text, ends } = useMemo(() => plainLines(whole), [whole])
  const starts = useMemo(() => pieces(text), [text])
  const [shown, setShown] = useState(atOnce)
  const all = wholeTexts.value
  const end = useRef<HTMLSpanElement>(null)
  useEffect(() => setShown(atOnce), [text])
  useEffect(() => {
    if (!end.current) return undefined
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some((entry) => entry.isIntersecting)) setShown((n) => n + atOnce)
      },
      { rootMargin: '600px' },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [text, shown])
  return (
    <div class="long">
      {ends && <span class="line-ends">{ends}</span>}
      {starts.slice(0, all ? starts.length : shown).map((from, i) => (
        <span key={i} class="piece">
          <Safe text={text.slice(from, starts[i + 1] ?? text.length)} />
        </span>
      ))}
      {!all && shown < starts.length && (
        <span ref={end} class="more">
          …
        </span>
      )}
    </div>
  )
}

/** The content of a block: a text as it is, JSON as an outline in which texts keep their lines. */
export function Content({ text, json }: { text: string; json: boolean }): JSX.Element {
  const lines = useMemo(() => (json && text.length < 1 << 20 ? contentOutline(text) : null), [text, json])
  if (lines === null) return <LongText text={text} />
  return (
    <div class="outline">
      {lines.slice(0, mostLines).map((line, i) => (
        <OutlineLine key={i} line={line} />
      ))}
      {lines.length > mostLines && <LongText text={text} />}
    </div>
  )
}

const mostLines = 2000

function OutlineLine({ line }: { line: Line }): JSX.Element {
  const many = line.text.length > 100 || line.text.includes('\n')
  return (
    <div class={`member ${many ? 'many' : ''}`} style={{ paddingInlineStart: `${Math.min(line.depth, 24)}em` }}>
      {line.key !== '' && (
        <span class="member-key">
          <Safe text={line.key} />
        </span>
      )}
      {line.kind === 'text' && many ? (
        <LongText text={line.text} />
      ) : (
        <span class={`member-${line.kind}`}>
          <Safe text={line.text} />
        </span>
      )}
    </div>
  )
}
