package exports

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
)

// The members that version 1.8 of the format has, by what has them.
var atifMembers = map[string]string{
	"trajectory": "schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref extra subagent_trajectories",
	"agent":      "name version model_name tool_definitions extra",
	"step": "step_id timestamp source message model_name reasoning_effort reasoning_content tool_calls observation metrics " +
		"is_copied_context llm_call_count extra",
	"metrics":       "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs extra",
	"tool_calls":    "tool_call_id function_name arguments extra",
	"results":       "source_call_id content subagent_trajectory_ref extra",
	"final_metrics": "total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra",
}

type jsonObject = map[string]any

// A trajectory keeps what its format describes: the members, the numbers of steps, what only a step of the agent has,
// results in the step of their call, and sums.
func TestATrajectoryIsAsItsFormatDescribesIt(t *testing.T) {
	files, err := filepath.Glob("../calllog/testdata/*")
	must(t, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		must(t, err)
		for _, c := range imported(t, data) {
			text, _ := written(t, "atif", c)
			var made jsonObject
			must(t, json.Unmarshal(text, &made))
			for _, wrong := range wrongIn(made) {
				t.Errorf("%s, %s: %s", filepath.Base(name), c.Info().Name, wrong)
			}
		}
	}
}

// wrongIn says where a trajectory breaks the description of its format.
func wrongIn(made jsonObject) (wrong []string) {
	only := func(what string, of any) {
		for name := range of.(jsonObject) {
			if !slices.Contains(strings.Fields(atifMembers[what]), name) {
				wrong = append(wrong, what+" has "+name)
			}
		}
	}
	say := func(is bool, what string) {
		if is {
			wrong = append(wrong, what)
		}
	}
	only("trajectory", made)
	only("agent", made["agent"])
	say(made["agent"].(jsonObject)["name"] == "" || made["agent"].(jsonObject)["version"] == "", "the agent has no name or version")
	sums := map[string]float64{}
	for i, one := range made["steps"].([]any) {
		s := one.(jsonObject)
		only("step", s)
		say(s["step_id"] != float64(i+1), "the steps are not numbered")
		if at, is := s["timestamp"].(string); is {
			_, err := time.Parse(time.RFC3339Nano, at)
			say(err != nil, "a time is "+at)
		}
		switch s["message"].(type) {
		case string, []any:
		default:
			say(true, "a step has no message")
		}
		agent := s["source"] == "agent"
		say(!agent && s["source"] != "user" && s["source"] != "system", "a step is of nobody")
		for _, name := range []string{"model_name", "reasoning_content", "tool_calls", "metrics"} {
			say(!agent && s[name] != nil, "a step of no agent has "+name)
		}
		ids := map[any]bool{}
		list, _ := s["tool_calls"].([]any)
		for _, call := range list {
			only("tool_calls", call)
			_, is := call.(jsonObject)["arguments"].(jsonObject)
			say(!is, "arguments are no object")
			ids[call.(jsonObject)["tool_call_id"]] = true
		}
		if o, is := s["observation"].(jsonObject); is {
			for _, result := range o["results"].([]any) {
				only("results", result)
				say(!ids[result.(jsonObject)["source_call_id"]], "a result is not in the step of its call")
			}
		}
		if m, is := s["metrics"].(jsonObject); is {
			only("metrics", m)
			for _, name := range []string{"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"} {
				n, _ := m[name].(float64)
				sums["total_"+name] += n
			}
		}
	}
	final := made["final_metrics"].(jsonObject)
	only("final_metrics", final)
	for name, sum := range sums {
		said, is := final[name].(float64)
		say(!(name == "total_cost_usd" && !is) && math.Abs(said-sum) > 1e-9, "a sum is wrong: "+name)
	}
	say(final["total_steps"] != float64(len(made["steps"].([]any))), "the number of steps is wrong")
	return wrong
}

var must = testrun.Must
