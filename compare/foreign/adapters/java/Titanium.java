import com.apicatalog.jsonld.JsonLd;
import com.apicatalog.jsonld.JsonLdError;
import com.apicatalog.jsonld.JsonLdErrorCode;
import com.apicatalog.jsonld.JsonLdOptions;
import com.apicatalog.jsonld.document.JsonDocument;
import com.apicatalog.rdf.io.nquad.NQuadsWriter;
import jakarta.json.Json;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/** The engine exec:titanium: Titanium JSON-LD, which makes quads and has no RDFC-1.0. */
public final class Titanium {
    static Serve.Operation prepare(Serve.Task task) throws Serve.Refusal {
        if(!task.operation.equals("to-rdf") || !task.input.equals("jsonld")) {
            throw new Serve.Refusal("unsupported", task.operation + " of " + task.input + "; it makes quads of JSON-LD alone");
        }
        var options = new JsonLdOptions((url, given) -> {
            var context = task.contexts.get(url.toString());
            if(context == null) {
                throw new JsonLdError(JsonLdErrorCode.LOADING_DOCUMENT_FAILED, "no context " + url + " was given");
            }
            var document = JsonDocument.of(context);
            document.setDocumentUrl(url);
            return document;
        });
        return text -> {
            var quads = JsonLd.toRdf(JsonDocument.of(Serve.parse(text))).options(options).get();
            var out = new StringWriter();
            new NQuadsWriter(out).write(quads);
            return out.toString().getBytes(StandardCharsets.UTF_8);
        };
    }

    public static void main(String[] args) throws Exception {
        // The manifest of the jar does not have the version.
        var version = JsonLd.class.getProtectionDomain().getCodeSource().getLocation().getPath().replaceAll(".*-|[.]jar", "");
        Serve.serve(Json.createObjectBuilder().add("name", "Titanium JSON-LD").add("version", version)
            .add("lineage", "titanium").add("can", Json.createArrayBuilder().add(Json.createObjectBuilder().add("suite", "rdfc")
                .add("operations", Json.createArrayBuilder().add("to-rdf")))), Titanium::prepare);
    }
}
