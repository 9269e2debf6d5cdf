import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonStructure;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** The protocol canonscope-engine/1 for engines in Java. */
final class Serve {
    /** Prepares a task. */
    interface Preparer {
        Operation prepare(Task task) throws Exception;
    }

    /** Does the operation of a task on one of its documents. */
    interface Operation {
        byte[] on(byte[] document) throws Exception;
    }

    /** A task of the parent, with the contexts that tasks have brought so far. */
    static final class Task {
        final String operation, suite, input;
        final byte[][] documents;
        final Map<String, JsonStructure> contexts;

        Task(JsonObject o, Map<String, JsonStructure> contexts) {
            operation = o.getString("operation");
            suite = o.getString("suite");
            input = o.getString("input", "jsonld");
            documents = o.getJsonArray("documents").getValuesAs(JsonString.class).stream()
                .map(s -> Base64.getDecoder().decode(s.getString())).toArray(byte[][]::new);
            this.contexts = contexts;
        }
    }

    /** Ends an operation with an answer of a kind: unsupported, refused, loss, limit or failed. */
    static final class Refusal extends Exception {
        final String kind;

        Refusal(String kind, String message) {
            super(message);
            this.kind = kind;
        }
    }

    static JsonStructure parse(byte[] text) {
        try(var reader = Json.createReader(new ByteArrayInputStream(text))) {
            return reader.read();
        }
    }

    /** Answers requests until bye; hello says what the engine is. */
    static void serve(JsonObjectBuilder hello, Preparer preparer) throws IOException {
        var answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err); // libraries may print; standard output is for answers
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var serve = new Serve();
        for(String line; (line = requests.readLine()) != null; ) {
            JsonObject request;
            try(var reader = Json.createReader(new StringReader(line))) {
                request = reader.readObject();
            }
            var answer = Json.createObjectBuilder().add("id", request.getInt("id"));
            try {
                serve.answer(request, hello, preparer, answer);
            } catch(Exception | StackOverflowError e) {
                var kind = e instanceof Refusal ? ((Refusal)e).kind : e instanceof StackOverflowError ? "limit" : "failed";
                var message = String.valueOf(e.getMessage() == null ? e : e.getMessage());
                answer.add("error", Json.createObjectBuilder().add("kind", kind)
                    .add("message", message.substring(0, Math.min(500, message.length()))));
            }
            answers.println(answer.build());
            answers.flush();
            if(request.getString("do").equals("bye")) {
                break;
            }
        }
    }

    private final Map<String, JsonStructure> contexts = new HashMap<>(); // until the end
    private Task task;
    private Operation operation;

    private void answer(JsonObject request, JsonObjectBuilder hello, Preparer preparer, JsonObjectBuilder answer) throws Exception {
        switch(request.getString("do")) {
            case "hello":
                answer.add("hello", hello.add("protocol", "canonscope-engine/1")
                    .add("language", "Java " + System.getProperty("java.version")));
                break;
            case "prepare":
                var given = request.getJsonObject("task");
                var brought = given.getJsonObject("contexts");
                if(brought != null) {
                    brought.keySet().forEach(url -> contexts.put(url, parse(Base64.getDecoder().decode(brought.getString(url)))));
                }
                operation = null;
                task = new Task(given, contexts);
                operation = preparer.prepare(task);
                break;
            case "gate":
                answer.add("output", encode(operation.on(task.documents[request.getInt("index", 0)])));
                break;
            case "run":
                answer.add("ran", run(request.getJsonObject("run")));
                break;
            case "bye":
                break;
            default:
                throw new Refusal("unsupported", "request " + request.getString("do"));
        }
    }

    private static String encode(byte[] output) {
        return Base64.getEncoder().encodeToString(output);
    }

    private JsonObjectBuilder run(JsonObject lap) throws Exception {
        int first = lap.getInt("first", 0), warm = lap.getInt("warm", 0), count = lap.getInt("count"), n = task.documents.length;
        for(int i = 0; i < warm; i++) {
            operation.on(task.documents[(first + i) % n]);
        }
        var wall = Json.createArrayBuilder();
        byte[] output = {};
        long cpu = cpu(), collected = collected();
        for(int i = 0; i < count; i++) {
            long start = System.nanoTime();
            output = operation.on(task.documents[(first + warm + i) % n]);
            wall.add(System.nanoTime() - start);
        }
        return Json.createObjectBuilder().add("cpu_ns", cpu() - cpu).add("gc_ns", (collected() - collected) * 1_000_000)
            .add("wall_ns", wall).add("output", encode(output));
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long collected() { // in milliseconds
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }
}
