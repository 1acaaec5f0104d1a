package api

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// image converts an image from one API to another. It cannot convert an image
// that the provider stores under an id.
func (w *renderer) image(v canon.Any, from Name) (canon.Any, bool) {
	kind, data, address := imageOf(v, from)
	if data == "" && address == "" {
		return canon.Any{}, false
	}
	inline := "data:" + kind + ";base64," + data
	if data == "" {
		inline = address
	}
	switch w.to {
	case Chat:
		return obj("type", "image_url", "image_url", obj("url", inline)), true
	case Responses:
		return obj("type", "input_image", "image_url", inline), true
	case Messages:
		if data == "" {
			return obj("type", "image", "source", obj("type", "url", "url", address)), true
		}
		return obj("type", "image", "source", obj("type", "base64", "media_type", kind, "data", data)), true
	}
	if data == "" {
		return obj("fileData", obj("fileUri", address)), true
	}
	return obj("inlineData", obj("mimeType", kind, "data", data)), true
}

// imageOf reads an image: its media type and Base64 bytes, or its address.
func imageOf(v canon.Any, from Name) (kind, data, address string) {
	switch from {
	case Messages:
		source, _ := v.Get("source")
		return text(source, "media_type"), text(source, "data"), text(source, "url")
	case Gemini:
		bytes, _ := member(v, "inlineData", "inline_data")
		file, _ := member(v, "fileData", "file_data")
		return text(bytes, "mimeType", "mime_type"), text(bytes, "data"), text(file, "fileUri", "file_uri")
	}
	image, _ := v.Get("image_url")
	address = image.Text
	if image.Kind == canon.KindObject {
		address = text(image, "url")
	}
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		if kind, data, ok = strings.Cut(rest, ";base64,"); ok {
			return kind, data, ""
		}
	}
	return "", "", address
}
