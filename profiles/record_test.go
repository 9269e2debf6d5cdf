package profiles_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/gowebpki/jcs"
	"github.com/piprate/json-gold/ld"

	"canonscope/profiles"
)

var (
	update = flag.Bool("update", false, "write golden files anew")
	record = flag.Bool("record", false, "record the profiles of testdata anew; golden files change with them")
)

// workloads are small operations of the libraries in the rules, each with one document of our own.
var workloads = map[string]func(fail func(error)) func(){
	"rdfc-eddsa": func(fail func(error)) func() {
		doc := exampleDocument(12)
		_, key, err := ed25519.GenerateKey(rand.Reader)
		fail(err)
		return func() {
			var v any
			fail(json.Unmarshal(doc, &v))
			opt := ld.NewJsonLdOptions("")
			opt.Algorithm, opt.Format = ld.AlgorithmURDNA2015, "application/n-quads"
			nquads, err := ld.NewJsonLdProcessor().Normalize(v, opt)
			fail(err)
			sum := sha256.Sum256([]byte(nquads.(string)))
			ed25519.Sign(key, sum[:])
		}
	},
	"jcs-es256": func(fail func(error)) func() {
		doc := exampleDocument(40)
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		fail(err)
		return func() {
			canonical, err := jcs.Transform(doc)
			fail(err)
			sum := sha256.Sum256(canonical)
			sig, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
			fail(err)
			if !ecdsa.VerifyASN1(&key.PublicKey, sum[:], sig) {
				fail(fmt.Errorf("signature does not verify"))
			}
		}
	},
	"salted": func(fail func(error)) func() {
		doc := exampleDocument(20)
		return func() {
			var v map[string]any
			fail(json.Unmarshal(doc, &v))
			for name, value := range v {
				salt := make([]byte, 16)
				rand.Read(salt)
				b, err := json.Marshal([]any{base64.RawURLEncoding.EncodeToString(salt), name, value})
				fail(err)
				sha256.Sum256([]byte(base64.RawURLEncoding.EncodeToString(b)))
			}
		}
	},
}

// exampleDocument is a JSON-LD document with n items, every second without an identifier.
func exampleDocument(n int) []byte {
	var items []string
	for i := range n {
		id := ""
		if i%2 == 0 {
			id = fmt.Sprintf(`"id":"urn:example:item:%d",`, i)
		}
		items = append(items, fmt.Sprintf(`{%s"type":"Item","name":"Learning outcome number %d","level":%d,"next":{"name":"After %d"}}`, id, i, i, i))
	}
	return []byte(`{"@context":{"@vocab":"https://example.org/terms#","id":"@id","type":"@type","Item":{"@id":"https://example.org/Item",` +
		`"@context":{"level":{"@id":"https://example.org/level","@type":"http://www.w3.org/2001/XMLSchema#integer"}}}},` +
		`"id":"urn:example:list","items":[` + strings.Join(items, ",") + `]}`)
}

func TestRecord(t *testing.T) {
	if !*record {
		t.Skip("records only with -record")
	}
	for name, make := range workloads {
		fail := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		op := make(fail)
		for range 50 {
			op()
		}
		c, err := profiles.Start(profiles.Signal)
		fail(err)
		profiles.Do(name, func() {
			for begin := time.Now(); time.Since(begin) < 5*time.Second; {
				op()
			}
		})
		r, err := c.Stop()
		fail(err)
		t.Logf("%s: coverage %.3f %s", name, r.Coverage(), r.Warning())
		anonymize(r.Profile)
		f, err := os.Create(filepath.Join("testdata", name+".pb.gz"))
		fail(err)
		fail(r.Profile.Write(f))
		fail(f.Close())
	}
}

// anonymize removes paths, addresses and times of the recording machine from a profile.
func anonymize(p *profile.Profile) {
	p.TimeNanos = 0
	p.Comments, p.DocURL = nil, ""
	for _, f := range p.Function {
		f.Filename = filepath.Base(f.Filename)
	}
	for _, m := range p.Mapping {
		m.File, m.BuildID = "test", ""
	}
	for _, l := range p.Location {
		l.Address = 0
	}
}

func load(t testing.TB, name string) *profile.Profile {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
