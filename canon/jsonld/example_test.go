package jsonld_test

import (
	"context"
	"fmt"

	"canonscope/canon/jsonld"
	"canonscope/canon/rdf"
)

func ExampleProcessor_ToRDF() {
	processor := jsonld.New(jsonld.Config{Loader: jsonld.Map{
		"https://example.org/school": []byte(`{"@context": {"title": "https://example.org/title", "course": "https://example.org/course"}}`),
	}})
	var dataset rdf.Dataset
	var origins jsonld.Origins
	err := processor.ToRDF(context.Background(), []byte(`{"@context": "https://example.org/school", "@id": "urn:teacher",
		"course": [{"@id": "urn:1", "title": "Music"}, {"@id": "urn:2", "title": "Art"}]}`), jsonld.Options{Origins: &origins}, &dataset)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(dataset.AppendNQuads(nil)))
	fmt.Println("the last is from", origins.Pointer(len(dataset.Quads)-1))
	// Output:
	// <urn:1> <https://example.org/title> "Music" .
	// <urn:teacher> <https://example.org/course> <urn:1> .
	// <urn:2> <https://example.org/title> "Art" .
	// <urn:teacher> <https://example.org/course> <urn:2> .
	// the last is from /course/1
}

func ExampleProcessor_Expand() {
	expanded, err := jsonld.New(jsonld.Config{}).Expand(context.Background(),
		[]byte(`{"@context": {"title": "https://example.org/title"}, "title": "Music"}`), jsonld.Options{})
	fmt.Println(string(expanded), err)
	// Output:
	// [{"https://example.org/title":[{"@value":"Music"}]}] <nil>
}
