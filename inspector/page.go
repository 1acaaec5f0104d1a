package inspector

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
)

// WritePage writes the inspector as one page that needs no server. first comes before everything else, and data
// before the scripts, which find it by its id. A browser runs these two scripts and no other, and loads nothing.
func WritePage(w io.Writer, first, data string) error {
	style := within(files()["inspector.css"].plain, "style")
	answers, pages := within(files()["run.js"].plain, "script"), within(files()["inspector.js"].plain, "script")
	_, err := fmt.Fprintf(w, `%s<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '%s' '%s'; style-src '%s'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>PACT</title>
<style>%s</style>
</head>
<body>
<div id="app"><noscript>The inspector needs JavaScript. The history in this file does not.</noscript></div>
%s
<script>%s</script>
<script>%s</script>
</body>
</html>
`, first, sum(answers), sum(pages), sum(style), style, data, answers, pages)
	return err
}

// within returns a text as it can stand in an element that it would end otherwise.
func within(text []byte, element string) []byte {
	return bytes.ReplaceAll(text, []byte("</"+element), []byte(`<\/`+element))
}

// sum names a text in a policy.
func sum(text []byte) string {
	s := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(s[:])
}
