package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metricsPath is where Prometheus reads the metrics, with a token like that of an operation.
const metricsPath = "/metrics"

// noOperation stands for a request that no operation got.
const noOperation = "none"

// metrics are the counters of a server. Their labels have the operations and statuses of
// docs/openapi.json and nothing that a client sent.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	broken   *prometheus.CounterVec
	bytes    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// measured adds the metrics and the operation that shows them.
func (s *Server) measured() {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pact_http_requests_total",
			Help: "Requests that were answered, by operation and status."}, []string{"operation", "status"}),
		broken: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pact_http_broken_answers_total",
			Help: "Answers that ended before their end, by operation."}, []string{"operation"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pact_http_answer_bytes_total",
			Help: "Bytes of the bodies of answers, by operation."}, []string{"operation"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "pact_http_request_seconds",
			Help:    "Time from a request to the end of its answer, by operation; event streams are left out.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60}}, []string{"operation"}),
	}
	m.registry.MustRegister(m.requests, m.broken, m.bytes, m.seconds, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		inUse("pact_http_requests_in_use", "Requests that are being answered, event streams left out.", s.requests),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pact_http_memory_bytes",
			Help: "Bytes that requests hold, of those that they may."}, func() float64 { return float64(s.memory.Reserved()) }),
		inUse("pact_http_event_streams", "Event streams that are open.", s.streams))
	s.metrics = m
	s.mux.Handle("GET "+metricsPath, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
}

func inUse(name, help string, places chan struct{}) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
		func() float64 { return float64(len(places)) })
}

// count counts an answer.
func (m *metrics) count(r *http.Request, e *exchange, took time.Duration, broken bool) {
	operation := operationOf(r)
	m.requests.WithLabelValues(operation, strconv.Itoa(e.status)).Inc()
	m.bytes.WithLabelValues(operation).Add(float64(e.bytes))
	if broken {
		m.broken.WithLabelValues(operation).Inc()
	}
	if operation != "GET "+eventsPath {
		m.seconds.WithLabelValues(operation).Observe(took.Seconds())
	}
}

// operationOf returns the method and the path of the operation that a request is for, with
// the names of its parameters in place of their values.
func operationOf(r *http.Request) string {
	if r.Pattern == "" {
		return noOperation
	}
	return r.Pattern
}
