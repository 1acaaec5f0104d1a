// Package canon holds JSON values in their canonical form and computes the
// content hash over it (08 §2.1).
//
// The canonical form is byte for byte what Python prints for
//
//	json.dumps(v, sort_keys=True, separators=(',', ':'), ensure_ascii=True)
//
// because chapter 08 §2.1 defines the normative hash through that call. The bytes
// of a snapshot (05 §2.2) have the same form. With one form for comparing,
// hashing and storing, two values are equal exactly when their bytes are.
package canon
