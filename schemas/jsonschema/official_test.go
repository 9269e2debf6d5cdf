package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"canonscope/canon/conform/official"
	"canonscope/schemas/jsonschema"
)

// ebsi replaces the schema that the official ELM schema refers to. The original is not available, so this
// one allows everything.
const ebsi = "https://api-pilot.ebsi.eu/trusted-schemas-registry/v3/schemas/0xbe77a21356835dc09d3d8149ea832ae0a4bae0ae9c869d18219ef8f4a74b4644"

// pairs are our schemas and the official ones.
var pairs = map[string]string{
	"vcdm2":           "w3c-verifiable-credential-schema.json",
	"ob3-achievement": "ob_v3p0_achievementcredential_schema.json",
	"ob3-endorsement": "ob_v3p0_endorsementcredential_schema.json",
	"clr2":            "clr_v2p0_clrcredential_schema.json",
	"elm":             "edc_schema.json",
}

// pair is a compiled pair of schemas.
type pair struct {
	name           string
	ours, theirs   jsonschema.Validator
	other          jsonschema.Validator // ours through the other engine
	oursDoc, their map[string]any
}

func pairOf(t testing.TB, dir, name string, format bool) *pair {
	t.Helper()
	p := &pair{name: name}
	text, err := os.ReadFile(filepath.Join(dir, "schemas", pairs[name]))
	if err != nil {
		t.Fatal(err)
	}
	own, err := jsonschema.Schema(name)
	if err != nil {
		t.Fatal(err)
	}
	for doc, text := range map[*map[string]any][]byte{&p.oursDoc: own, &p.their: text} {
		if err := json.Unmarshal(text, doc); err != nil {
			t.Fatal(err)
		}
	}
	opt := jsonschema.Options{Engine: jsonschema.SanthoshTekuri, AssertFormat: format, Resources: map[string][]byte{ebsi: []byte(`{"type":"object"}`)}}
	p.ours, p.theirs = compile(t, string(own), opt), compile(t, string(text), opt)
	opt.Engine = jsonschema.GoJSONSchema
	p.other = compile(t, string(own), opt)
	return p
}

// agree returns the verdict on a document and fails the test if the three validators differ.
func (p *pair) agree(t testing.TB, what string, doc []byte) bool {
	t.Helper()
	verdict := func(v jsonschema.Validator) (bool, []jsonschema.Violation) {
		r, err := v.Validate(doc)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return r.Valid, r.Violations
	}
	theirs, why := verdict(p.theirs)
	if ours, reason := verdict(p.ours); ours != theirs {
		t.Errorf("%s, %s: ours says %v %v, the official schema %v %v\n%.600s", p.name, what, ours, reason, theirs, why, doc)
	}
	if other, reason := verdict(p.other); other != theirs {
		t.Errorf("%s, %s: through gojsonschema ours says %v %v, the official schema %v %v\n%.600s", p.name, what, other, reason, theirs, why, doc)
	}
	return theirs
}

func examples(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "examples", "*.json"))
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "index.json" })
	if err != nil || len(files) < 50 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	return files
}

func TestOurSchemasAgreeOnTheExamples(t *testing.T) {
	dir := official.Dir(t, "education")
	files := examples(t, dir)
	for _, format := range []bool{false, true} {
		for name := range pairs {
			p := pairOf(t, dir, name, format)
			valid := 0
			for _, f := range files {
				doc, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				if p.agree(t, filepath.Base(f), doc) {
					valid++
				}
			}
			t.Logf("%s, format %v: %d of %d examples are valid", name, format, valid, len(files))
		}
	}
}

// Every schema in use compiles offline, or has the expected error.
func TestOfficialSchemas(t *testing.T) {
	dir := official.Dir(t, "education")
	files, err := filepath.Glob(filepath.Join(dir, "schemas", "*.json"))
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "index.json" })
	if err != nil || len(files) < 40 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	santhosh := map[string]string{
		"edc_schema.json": "schemas are not fetched",
		"blockcerts-3.2-credentialSubjectSchema.json":            "schemas are not fetched",
		"w3c-verifiable-presentation-schema.json":                "schemas are not fetched",
		"blockcerts-3.2-schema.json":                             "schemas are not fetched",
		"ob-ext-assessmentExtension-v2p0-schema.json":            "points to nothing",
		"ob-ext-issuerAccreditationExtension-v2p0-schema.json":   "JSON line",
		"ob-ext-issuerAccreditationExtension-v1p0-schema.json":   "meta-schema",
		"lerrs-clr_v2p0_clrcredential_schema_draft4.json":        "meta-schema",
		"lerrs-ob_v3p0_achievementcredential_schema_draft4.json": "meta-schema",
	}
	other := maps.Clone(santhosh)
	other["w3c-verifiable-credential-schema.json"] = "does not support prefixItems"
	for engine, expected := range map[jsonschema.Engine]map[string]string{jsonschema.SanthoshTekuri: santhosh, jsonschema.GoJSONSchema: other} {
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			_, err = jsonschema.Compile(text, jsonschema.Options{Engine: engine})
			want := expected[filepath.Base(f)]
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, %s: %v, want %q", engine, filepath.Base(f), err, want)
			}
		}
	}
}

// sampler draws values from a schema: mostly valid ones, and with a chance of junk in every place.
type sampler struct {
	rng  *rand.Rand
	root map[string]any
	junk float64
}

var junkValues = []any{nil, true, 0.0, -1.5, 7.0, "", "text", "2024-02-29", "ext:x-y", "Image", "a.b.c", "en", []any{}, []any{"x"}, []any{map[string]any{}},
	map[string]any{}, map[string]any{"en": "x"}, map[string]any{"english": "x"}, map[string]any{"en": 1.0}, map[string]any{"type": "Image"}, map[string]any{"id": "urn:x"}}

// words satisfy the patterns and formats of the official schemas.
var words = []string{"2024-05-06T07:08:09Z", "urn:example:1", "a@b.example", "mailto:a@b.example", "P1Y", "2001-02-03", "en", "de-AT", "zh-Hant-TW", "a.b.c",
	"ext:Own", "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json", "https://purl.imsglobal.org/spec/clr/v2p0/context-2.0.1.json", "plain text"}

func (s *sampler) resolve(schema any) map[string]any {
	m, _ := schema.(map[string]any)
	for {
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		if !strings.HasPrefix(ref, "#/$defs/") {
			return map[string]any{"type": "object"}
		}
		m, _ = s.root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
}

func (s *sampler) value(schema any, depth int) any {
	if s.rng.Float64() < s.junk {
		return junkValues[s.rng.IntN(len(junkValues))]
	}
	m := s.resolve(schema)
	for _, k := range []string{"oneOf", "anyOf"} {
		if list, ok := m[k].([]any); ok {
			choice := list[s.rng.IntN(len(list))]
			if depth <= 0 {
				choice = list[0]
			}
			if m["type"] == "string" && len(list) > 0 { // alternatives of format only
				return s.text(s.resolve(choice))
			}
			return s.value(choice, depth)
		}
	}
	if c, ok := m["const"]; ok {
		return c
	}
	if e, ok := m["enum"].([]any); ok {
		return e[s.rng.IntN(len(e))]
	}
	if all, ok := m["allOf"].([]any); ok && m["properties"] == nil {
		return s.all(all, depth)
	}
	switch m["type"] {
	case "string":
		return s.text(m)
	case "integer":
		return float64(s.rng.IntN(120) - 10)
	case "number":
		return float64(s.rng.IntN(100)) / 4
	case "boolean":
		return s.rng.IntN(2) == 0
	case "array":
		return s.array(m, depth)
	case "object":
		return s.object(m, depth)
	}
	return map[string]any{"id": "urn:example:any"}
}

// all draws from an allOf: arrays that must hold several things, or objects with a more specific branch.
func (s *sampler) all(list []any, depth int) any {
	var joined []any
	var last any
	for _, x := range list {
		m := s.resolve(x)
		if m["type"] == "array" {
			for _, v := range s.array(m, depth).([]any) {
				if !slices.ContainsFunc(joined, func(o any) bool { return fmt.Sprint(o) == fmt.Sprint(v) }) {
					joined = append(joined, v)
				}
			}
			continue
		}
		if _, ok := m["properties"]; ok || last == nil {
			last = x
		}
	}
	if joined != nil {
		return joined
	}
	v := s.value(last, depth)
	if m, ok := v.(map[string]any); ok && s.resolve(list[len(list)-1])["maxProperties"] == 1.0 && s.rng.IntN(8) > 0 {
		for len(m) > 1 {
			delete(m, slices.Sorted(maps.Keys(m))[0])
		}
	}
	return v
}

func (s *sampler) text(m map[string]any) any {
	for range 30 {
		w := words[s.rng.IntN(len(words))]
		if f, ok := m["format"].(string); ok {
			w = map[string]string{"date-time": words[0], "uri": words[1], "email": words[2], "duration": words[4], "date": words[5]}[f]
			if m["pattern"] != nil {
				w = words[3]
			}
			return w
		}
		if p, ok := m["pattern"].(string); ok && !match(p, w) {
			continue
		}
		return w
	}
	return "no match"
}

func (s *sampler) array(m map[string]any, depth int) any {
	out := []any{}
	if c := s.resolve(m["contains"]); c != nil {
		out = append(out, s.value(c, depth))
	}
	heads, _ := m["items"].([]any)
	if p, ok := m["prefixItems"].([]any); ok {
		heads, out = p, nil
	}
	for _, h := range heads {
		out = append(out, s.value(h, depth-1))
	}
	rest := m["items"]
	if heads != nil && m["prefixItems"] == nil {
		rest = m["additionalItems"]
	}
	most := 2
	if n, ok := m["minItems"].(float64); ok && m["uniqueItems"] == true && n > 1 {
		most = int(n) + 1
		if e, ok := s.resolve(rest)["enum"].([]any); ok && s.rng.IntN(4) > 0 {
			return slices.Clone(e)
		}
	}
	for range s.rng.IntN(most + 1) {
		out = append(out, s.value(rest, depth-1))
	}
	if n, ok := m["minItems"].(float64); ok && len(out) < int(n) && s.rng.IntN(10) > 0 {
		out = append(out, s.value(rest, depth-1))
	}
	return out
}

func (s *sampler) object(m map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := m["properties"].(map[string]any)
	required, _ := m["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		must := slices.Contains(required, any(name))
		chance := 0.3
		if must {
			chance = 1 - s.junk/2
		} else if depth <= 0 {
			chance = 0
		}
		if s.rng.Float64() < chance {
			out[name] = s.value(properties[name], depth-1)
		}
	}
	if a, ok := m["additionalProperties"].(map[string]any); ok {
		for _, lang := range []string{"en", "de-AT", "fr"} {
			if s.rng.IntN(2) == 0 {
				out[lang] = s.value(a, depth-1)
			}
		}
	}
	if n := s.resolve(m["propertyNames"]); n != nil && m["additionalProperties"] == nil {
		for _, lang := range []string{"en", "de", "fr"} {
			if s.rng.IntN(2) == 0 {
				out[lang] = "text"
			}
		}
	}
	if n, ok := m["minProperties"].(float64); ok && len(out) < int(n) {
		out["en"] = "text"
	}
	if s.rng.Float64() < s.junk {
		out["unknownProperty"] = "x"
	}
	return out
}

// definitions of the official ELM schema that have another name in ours.
var renamed = map[string]string{"EuropeanDigitalCredentialType": "Credential", "LangStringType": "Text", "EmailType": "Email",
	"AgentOrPersonOrOrganisationType": "Actor", "IdentifierOrLegalIdentifierType": "AnyIdentifier", "ClaimNodeType": "Claim",
	"LearningAchievementSpecificationOrQualificationType": "LearningTarget", "PositiveIntegerType": "Count", "PercentageIntegerType": "Percentage"}

// Every definition in both schemas gives the same verdicts on documents drawn from the official one.
func TestOurDefinitionsAgree(t *testing.T) {
	dir := official.Dir(t, "education")
	for name := range pairs {
		p := pairOf(t, dir, name, false)
		ours, theirs := p.oursDoc["$defs"].(map[string]any), p.their["$defs"].(map[string]any)
		names := map[string]string{} // of ours, by theirs
		for def := range theirs {
			own := def
			switch name {
			case "elm":
				own = strings.TrimSuffix(def, "Type")
				if r, ok := renamed[def]; ok {
					own = r
				}
			case "clr2":
				if r, ok := map[string]string{"VerifiableCredential": "Credential", "CredentialSubject": "Subject"}[def]; ok {
					own = r
				}
			case "vcdm2": // cut otherwise; the whole documents compare it
				continue
			}
			if ours[own] != nil {
				names[def] = own
			}
		}
		// One schema has a property for each definition, so that it is compiled once.
		q := &pair{ours: definitions(t, p.oursDoc, names, jsonschema.SanthoshTekuri, true), other: definitions(t, p.oursDoc, names, jsonschema.GoJSONSchema, true),
			theirs: definitions(t, p.their, names, jsonschema.SanthoshTekuri, false)}
		for _, def := range slices.Sorted(maps.Keys(names)) {
			q.name = name + " " + def
			verdicts := map[bool]int{}
			for i := range 120 {
				s := &sampler{rng: rand.New(rand.NewPCG(uint64(i), 5)), root: p.their, junk: []float64{0, 0.01, 0.05, 0.3}[i%4]}
				doc, err := json.Marshal(map[string]any{def: s.value(theirs[def], 3)})
				if err != nil {
					t.Fatal(err)
				}
				verdicts[q.agree(t, fmt.Sprint("sample ", i), doc)]++
			}
			if t.Failed() {
				t.FailNow()
			}
			if verdicts[false] < 5 || verdicts[true] < 5 {
				t.Errorf("%s %s: the samples do not test it: %v", name, def, verdicts)
			}
		}
		compared := slices.Collect(maps.Values(names))
		for own, d := range ours {
			if m := d.(map[string]any); m["properties"] != nil && !slices.Contains(compared, own) && name != "vcdm2" && own != name && !strings.HasSuffix(own, "Credential") {
				t.Errorf("%s: our definition %s is compared with nothing", name, own)
			}
		}
	}
}

func definitions(t testing.TB, schema map[string]any, names map[string]string, e jsonschema.Engine, ours bool) jsonschema.Validator {
	t.Helper()
	properties := map[string]any{}
	for def, own := range names {
		if !ours {
			own = def
		}
		properties[def] = map[string]any{"$ref": "#/$defs/" + own}
	}
	b, err := json.Marshal(map[string]any{"$schema": schema["$schema"], "$defs": schema["$defs"], "properties": properties})
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, string(b), jsonschema.Options{Engine: e, Resources: map[string][]byte{ebsi: []byte(`{}`)}})
}
