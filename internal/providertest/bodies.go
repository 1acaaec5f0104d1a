package providertest

// Bodies has a body for each form, with parts that the tables know, parts of types that no table knows, and fields
// that only some messages have.
var Bodies = map[string]string{
	"anthropic": `{"tools":[{"name":"ls","description":"list","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search","max_uses":3}],
"messages":[
{"role":"user","content":[{"type":"text","text":"Look."},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"},"title":"T","citations":{"enabled":true}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"redacted_thinking","data":"eHg="},{"type":"text","text":"I look.","citations":[{"type":"char_location","cited_text":"d","document_index":0,"document_title":"T","start_char_index":0,"end_char_index":1}]},{"type":"tool_use","id":"toolu_1","name":"ls","input":{"cache_control":"kept","a":1.50}},{"type":"tool_use","id":"toolu_2","name":"ls","input":{}},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org","title":"E","encrypted_content":"ZQ=="}]},{"type":"tomorrow","anything":[1,{"deep":null}]}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"https://example.org/i.png"}}]},{"type":"tool_result","tool_use_id":"toolu_2","content":"failed","is_error":true},{"type":"text","text":"Go on."}]},
{"role":"assistant","content":"Plain."},{"role":"user","content":"More."}]}`,
	"openai": `{"tools":[{"type":"function","function":{"name":"ls","parameters":{"type":"object"},"strict":true}}],
"messages":[{"role":"developer","content":"Be brief.","name":"boss"},
{"role":"user","name":"ann","content":[{"type":"text","text":"Look."},{"type":"image_url","image_url":{"url":"https://example.org/i.png","detail":"low"}},{"type":"file","file":{"file_id":"f"}},{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{\"a\": 1.0}"}},{"id":"call_2","type":"custom","custom":{"name":"sh","input":"ls"}}]},
{"role":"tool","tool_call_id":"call_1","content":"a"},{"role":"tool","tool_call_id":"call_2","content":[{"type":"text","text":"b"}]},
{"role":"assistant","content":[{"type":"refusal","refusal":"No."}],"later":{"field":true}},{"role":"assistant","refusal":"Never.","audio":{"id":"audio_1"}},{"role":"user","content":"More."}]}`,
	"responses": `{"tools":[{"type":"function","name":"ls","parameters":{"type":"object"}},{"type":"web_search"}],
"input":[{"role":"developer","content":"Be brief."},
{"type":"message","role":"user","content":[{"type":"input_text","text":"Look."},{"type":"input_image","image_url":"https://example.org/i.png","detail":"auto"},{"type":"input_file","file_id":"f"}]},
{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"ZQ=="},
{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"I look.","annotations":[{"type":"url_citation","url":"https://example.org","title":"E","start_index":0,"end_index":1}]},{"type":"refusal","refusal":"No."}]},
{"type":"function_call","id":"fc_1","call_id":"call_1","name":"ls","arguments":"{\"a\": 1.0}","status":"completed"},{"type":"function_call","call_id":"call_2","name":"ls","arguments":"{}"},
{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"x"}},
{"type":"function_call_output","call_id":"call_1","output":"a"},{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"b"}]},
{"type":"tomorrow","anything":[1,{"deep":null}]},{"role":"user","content":"More."}]}`,
	"gemini": `{"tools":[{"functionDeclarations":[{"name":"ls","parametersJsonSchema":{"type":"object"}}]}],
"contents":[{"role":"user","parts":[{"text":"Look."},{"inlineData":{"mimeType":"image/png","data":"aGk="}},{"fileData":{"fileUri":"https://example.org/f","mimeType":"text/plain"}}]},
{"role":"model","parts":[{"text":"Hm.","thought":true},{"text":"I look.","thoughtSignature":"c2ln"},{"functionCall":{"id":"c1","name":"ls","args":{"a":1.5}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"c2","name":"ls","args":{}}},{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"tomorrow":{"anything":[1,{"deep":null}]}}]},
{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}},{"functionResponse":{"id":"c2","name":"ls","response":{"error":"b"}}},{"text":"Go on."}]},
{"role":"model","parts":[{"text":"Plain."}]},{"role":"user","parts":[{"text":"More."}]}]}`,
}
