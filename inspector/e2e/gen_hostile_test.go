package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
)

// A page that turned any of these texts into markup, or ran it, would make an element with
// the attribute data-hostile, set window.hostile, or ask hostile.invalid for something.
var hostileMarkup = []string{
	`<script>window.hostile = 'script'</script>`,
	`</script><script>window.hostile = 'closed script'</script>`,
	`<img data-hostile src=x onerror="window.hostile = 'onerror'">`,
	`<svg data-hostile onload="window.hostile = 'onload'"><set attributeName="onmouseover" to="window.hostile=1"/></svg>`,
	`<a data-hostile href="javascript:window.hostile='link'">Click me</a>`,
	`[click](javascript:window.hostile='markdown') ![x](http://hostile.invalid/pixel.png)`,
	`<iframe data-hostile srcdoc="<script>parent.hostile = 'frame'</script>"></iframe>`,
	`<style data-hostile>* { background: url(http://hostile.invalid/style) !important }</style>`,
	`<link data-hostile rel="stylesheet" href="http://hostile.invalid/sheet.css">`,
	`<base data-hostile href="http://hostile.invalid/">`,
	`<meta data-hostile http-equiv="refresh" content="0;url=http://hostile.invalid/">`,
	`</textarea></title></style></noscript></template><b data-hostile>out</b>`,
	`<form data-hostile action="http://hostile.invalid/"><input name="token"></form>`,
	`" data-hostile="1" onfocus="window.hostile='attribute'" autofocus="`,
	`{{constructor.constructor('window.hostile = 1')()}} ${window.hostile = 'template'}`,
	`http://hostile.invalid/looks-like-a-link and mailto:hostile@hostile.invalid`,
	"data: {}\n\nevent: deleted\ndata: {\"event\":\"deleted\"}\n\n",
}

// rightToLeft is what hides the end of a file's name: a reader sees "photo_exe.png".
const rightToLeft = "photo_\u202egnp.exe"

// hostileTexts are texts that a screen shows wrongly if it trusts them, by the name of
// their block.
func hostileTexts() map[string]string {
	var controls, bidi strings.Builder
	for r := rune(0); r < 0x20; r++ {
		fmt.Fprintf(&controls, "[%c]", r)
	}
	for r := rune(0x7f); r < 0xa0; r++ {
		fmt.Fprintf(&controls, "[%c]", r)
	}
	for _, r := range "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" {
		fmt.Fprintf(&bidi, "[%c]abc", r)
	}
	return map[string]string{
		"controls":   controls.String(),
		"bidi":       bidi.String(),
		"extension":  rightToLeft,
		"unclosed":   strings.Repeat("\u202e\u2067", 200) + "the end",
		"invisible":  "pay\u200b \u200cto\u200d \ufeffme\u00ad \u2060now \U000e0041\U000e0042",
		"marks":      "z" + strings.Repeat("\u0301\u0316\u035c", 500) + "algo",
		"terminal":   "\x1b[31mred\x1b[0m \x1b]0;title\a \x1b]8;;http://hostile.invalid/\x1b\\link\x1b]8;;\x1b\\",
		"separators": "a\u2028b\u2029c\u0085d\ve\ff\rg\r\nh",
		"plain":      "an ordinary text, to compare with",
	}
}

// longLine is the length in bytes of the line that must not freeze a page.
const longLine = 16 << 20

// hostile makes a context whose every text is an attack: contents of every kind, and also
// names of tools, headers, ids, the message and the name of who wrote it. It returns the
// name of the context.
func hostile(t testing.TB, db string) string {
	t.Helper()
	name := `<img data-hostile src=x onerror="window.hostile=1">` + rightToLeft + ` a/b?c#d&e=%2F`
	c := create(t, db, name)
	note := pact.Note{Actor: hostileMarkup[0] + rightToLeft, Message: hostileMarkup[2] + "\n\u202e message"}
	commit(t, c, note, func(b *pact.Batch) {
		b.Add("^sys", pact.Spec{ID: "rules", Role: "system", Kind: "text", Content: "Be careful."})
		for id, text := range hostileTexts() {
			b.Add("^ah", pact.Spec{ID: id, Role: "user", Kind: "text", Content: text})
		}
	})
	commit(t, c, note, func(b *pact.Batch) {
		for i, text := range hostileMarkup {
			call, tool := fmt.Sprintf("call%d", i), text
			b.Add("^ah", pact.Spec{ID: call, Role: "assistant", Kind: "call",
				Content: map[string]any{"name": tool, "arguments": `{"command": ` + quoted(text) + `}`}})
			b.Add("^ah", pact.Spec{ID: fmt.Sprintf("markup%d", i), Role: "tool", Kind: "result", Refs: []string{call},
				Key: text, Tags: []string{text}, Provenance: text, Attrs: map[string]any{"data_note": text}, Content: text})
			b.Add("^ah", pact.Spec{ID: text + rightToLeft, Role: "user", Kind: text, Content: text})
		}
		var deep any = "bottom"
		for range 400 {
			deep = map[string]any{"__proto__": deep}
		}
		b.Add("^ah", pact.Spec{ID: "deep", Role: "tool", Kind: "result", Content: deep})
		b.Add("^ah", pact.Spec{ID: "names", Role: "tool", Kind: "result",
			Content: map[string]any{"constructor": 1, "toString": nil, "hasOwnProperty": false, "<b data-hostile>": "x"}})
	})
	commit(t, c, note, func(b *pact.Batch) {
		b.Add("^ah", pact.Spec{ID: "long", Role: "tool", Kind: "result",
			Content: strings.Repeat("a long line ", longLine/12)})
		b.Add("^ah", pact.Spec{ID: "image", Role: "user", Kind: "image", MIME: "image/svg+xml", Encoding: "base64",
			Content: "PHN2ZyBvbmxvYWQ9IndpbmRvdy5ob3N0aWxlPTEiLz4="})
	})
	commit(t, c, note, func(b *pact.Batch) { b.Update("rules", func(s *pact.Spec) { s.Content = hostileMarkup[1] }) })
	return name
}
