module github.com/contexttree/pact/benchmarks

go 1.26.0

replace github.com/contexttree/pact => ../

require (
	github.com/andybalholm/cascadia v1.3.5
	github.com/antchfx/xmlquery v1.5.2
	github.com/antchfx/xpath v1.3.9
	github.com/contexttree/pact v0.0.0
	github.com/itchyny/gojq v0.12.20
	github.com/ohler55/ojg v1.28.5
	github.com/theory/jsonpath v0.10.2
	golang.org/x/net v0.62.0
)

require (
	github.com/golang/groupcache v0.0.0-20210331224755-41bb18bfe9da // indirect
	github.com/itchyny/timefmt-go v0.1.9 // indirect
	github.com/sergi/go-diff v1.4.0 // indirect
	github.com/tidwall/gjson v1.18.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	github.com/wI2L/jsondiff v0.7.1 // indirect
	golang.org/x/text v0.43.0 // indirect
)
