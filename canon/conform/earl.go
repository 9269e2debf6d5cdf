package conform

import (
	"fmt"
	"io"
	"time"

	"canonscope/canon/rdf"
)

// Subject is the software that an EARL report is about, with the author of the report.
type Subject struct {
	IRI         string // of the software, e.g. the address of its source
	Name        string
	Version     string
	Description string
	Language    string // programming language
	Assertor    string // IRI of a person or an organization
	AssertorIs  string // name of the assertor
}

// WriteEARL writes a report in Turtle with one earl:Assertion for each result, in the form that the W3C
// collects from implementers (Evaluation and Report Language 1.0). A result without the IRI of a test is an
// error.
func WriteEARL(w io.Writer, s Subject, results []Result, at time.Time) error {
	iris := []string{s.IRI, s.Assertor}
	for _, r := range results {
		iris = append(iris, r.Test)
	}

	for _, iri := range iris {
		if !rdf.ValidIRI(iri) {
			return fmt.Errorf("an EARL report needs IRIs for the software, the assertor and each test; "+
				"%q is not an IRI", iri)
		}
	}

	iri := func(s string) []byte { return rdf.AppendIRI(nil, s) }
	text := func(s string) []byte { return rdf.AppendString(nil, s) }
	date := at.Format(time.RFC3339)
	_, err := fmt.Fprintf(w, `@prefix dc:   <http://purl.org/dc/terms/> .
@prefix doap: <http://usefulinc.com/ns/doap#> .
@prefix earl: <http://www.w3.org/ns/earl#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix xsd:  <http://www.w3.org/2001/XMLSchema#> .

<> foaf:primaryTopic %[1]s ;
  dc:issued "%[2]s"^^xsd:dateTime ;
  foaf:maker %[3]s .

%[1]s a doap:Project, earl:TestSubject, earl:Software ;
  doap:name %[4]s ;
  doap:description %[5]s ;
  doap:programming-language %[6]s ;
  doap:homepage %[1]s ;
  doap:developer %[3]s ;
  doap:release [ doap:name %[7]s ; doap:revision %[8]s ] .

%[3]s a foaf:Agent, earl:Assertor ;
  foaf:name %[9]s .
`, iri(s.IRI), date, iri(s.Assertor), text(s.Name), text(s.Description), text(s.Language),
		text(s.Name+" "+s.Version), text(s.Version), text(s.AssertorIs))

	for _, r := range results {
		if err != nil {
			return err
		}
		outcome := map[Outcome]string{Passed: "passed", Failed: "failed", Skipped: "inapplicable"}[r.Outcome]
		info := ""
		if r.Reason != "" {
			info = fmt.Sprintf("    dc:description %s ;\n", text(r.Reason))
		}
		_, err = fmt.Fprintf(w, `
[ a earl:Assertion ;
  earl:assertedBy %s ;
  earl:subject %s ;
  earl:test %s ;
  earl:result [ a earl:TestResult ;
    earl:outcome earl:%s ;
%s    dc:date "%s"^^xsd:dateTime ] ;
  earl:mode earl:automatic ] .
`, iri(s.Assertor), iri(s.IRI), iri(r.Test), outcome, info, date)
	}

	return err
}
